/** The minimum time that the page stays locked. */
const lockMilliseconds = 1500

type Page = { hold: () => void; release: () => void }

/**
 * Keeps the page behind a modal from scrolling. The returned function unlocks it, but not before 1500 ms have passed.
 * With several locks, the page scrolls again when the last one ends.
 */
export function createScrollLock(page: Page): () => () => void {
  let count = 0
  return () => {
    const since = Date.now()
    let isOurs = true
    if (count++ === 0) page.hold()
    const unlock = () => {
      if (--count === 0) page.release()
    }
    return () => {
      if (!isOurs) return
      isOurs = false
      const left = since + lockMilliseconds - Date.now()
      if (left > 0) setTimeout(unlock, left)
      else unlock()
    }
  }
}

/**
 * The scroll lock of this document. It keeps the width of the scrollbar free, so that nothing behind the modal moves.
 */
export const lockScroll = createScrollLock({
  hold: () => {
    const { classList, clientWidth, style } = document.documentElement
    style.paddingRight = `${window.innerWidth - clientWidth}px`
    classList.add('is-still')
  },
  release: () => {
    document.documentElement.style.paddingRight = ''
    document.documentElement.classList.remove('is-still')
  },
})
