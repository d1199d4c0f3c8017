/** How long the page stays still at least (spec, learner area, section 4). */
const lockMilliseconds = 1500

type Page = { hold: () => void; release: () => void }

/**
 * Keeps the page behind a modal from scrolling. The answer unlocks it: after 1500 ms or when the modal closes, whichever is later
 * (decision Q-26). Of several locks the last one to end lets go.
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
