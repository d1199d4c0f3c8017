import type { Notice } from '~/lib/notice.ts'

type Handlers = { onNotice: (notice: Notice) => void; onWithdraw: (about: Notice['about']) => void }

const subscribers = new Set<Handlers>()
let count = 0

/** Shows a notice from code that runs in the browser: `notify({ kind: 'error', text: … })`. */
export function notify(notice: Omit<Notice, 'id'>): void {
  count += 1
  for (const { onNotice } of subscribers) onNotice({ ...notice, id: `own-${Date.now()}-${count}` })
}

/** Takes notices about something off the page once they are no longer true. The notice list keeps them. */
export function withdrawNotices(about: NonNullable<Notice['about']>): void {
  for (const { onWithdraw } of subscribers) onWithdraw(about)
}

/** For the one component that shows notices. Returns how to unsubscribe. */
export function subscribeToNotices(handlers: Handlers): () => void {
  subscribers.add(handlers)
  return () => {
    subscribers.delete(handlers)
  }
}
