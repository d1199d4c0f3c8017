/**
 * The banner on every page while an admin sees the site as somebody else. It is made here as HTML, because every page of
 * learners would load a component of it, and none of them ever sees it.
 */
import type { Exchange } from '~/http/exchange.server.ts'
import { escapeHtml } from '~/lib/mail-text.ts'
import { stopViewingPath, timeLeft, viewingRefusal } from '~/lib/viewing.ts'
import type { Ctx } from '~/services/context.ts'

export type ViewingBanner = { name: string; html: string }

/**
 * Counts down, and loads the page again when the time is over: it then is the admin's own. It begins with the document,
 * with which every view begins, and finds the banner of later pages.
 */
const countDown = `(() => {
  let shown
  let end
  setInterval(() => {
    const place = document.querySelector('[data-seconds-left]')
    if (!place) return
    if (place !== shown) end = Date.now() + Number(place.dataset.secondsLeft) * 1000
    shown = place
    const left = Math.max(0, Math.ceil((end - Date.now()) / 1000))
    place.textContent = Math.floor(left / 60) + ':' + String(left % 60).padStart(2, '0') + ' left.'
    if (Date.now() > end + 1000) location.reload()
  }, 1000)
})()`

/** Null for everybody who sees the site as themselves. Without JavaScript the banner has the time of loading. */
export function viewingBannerOf(
  { viewAs, viewer, now }: Ctx,
  { exchange, csrf }: { exchange: Exchange; csrf: string },
): ViewingBanner | null {
  if (!viewAs || !viewer) return null
  const name = `${viewer.firstName} ${viewer.lastName}`.trim() || viewer.email
  const seconds = Math.ceil((viewAs.expiresAt.getTime() - now.getTime()) / 1000)
  const html = `<section class="notice m-0 flex flex-wrap items-center gap-3 rounded-none" aria-label="View as">
<p class="grow wrap-anywhere">${escapeHtml(viewingRefusal(name))} <span class="tabular-nums" data-seconds-left="${seconds}">${timeLeft(seconds)}.</span></p>
<form method="post" action="${stopViewingPath}">
<input type="hidden" name="csrf" value="${escapeHtml(csrf)}"><button class="btn btn--secondary" type="submit">Stop</button>
</form>
</section>
<script nonce="${exchange.nonce}">${countDown}</script>`
  return { name, html }
}
