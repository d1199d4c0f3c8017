/** The page stays still for at least this long. */
const lockMilliseconds = 1500

type Page = { hold: () => void; release: () => void }

/**
 * Keeps the page behind a modal from scrolling. The returned function unlocks it, but not before 1500 ms have passed. With several
 * locks, the page scrolls again when the last one ends.
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

/** The lock of this document. Where a scrollbar goes away, its room is kept, so that nothing behind the modal moves. */
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
