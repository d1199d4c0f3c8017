/*
 * The page is whole without its scripts, so they begin once it has been painted: on a slow line nothing takes bandwidth from the styles, fonts and
 * words that it is read with. The server writes Remix's links and its script under names that a browser leaves alone (`withLateScripts`), and
 * this gives them their own.
 */
const begin = `(() => {
  let isBegun = false
  const begin = () => {
    if (isBegun) return
    isBegun = true
    for (const link of document.querySelectorAll('link[rel="late"]')) link.rel = 'modulepreload'
    const late = document.querySelector('script[type="late"]')
    const script = document.createElement('script')
    script.type = 'module'
    script.nonce = late.nonce
    script.textContent = late.textContent
    late.after(script)
    script.remove()
  }
  addEventListener('DOMContentLoaded', () => requestAnimationFrame(() => setTimeout(begin)))
  // A tab that is not looked at paints nothing.
  setTimeout(begin, 2000)
})()`

export function LateScripts({ nonce }: { nonce: string | undefined }) {
  // A fixed text of ours: nothing of a person or a page is in it.
  return <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: begin }} />
}

/** Of a whole document, as the server sends it. */
export function withLateScripts(document: string): string {
  return document
    .replaceAll('<link rel="modulepreload" href="', '<link rel="late" fetchpriority="low" href="')
    .replace(/(<script[^>]*) type="module" async="">/, '$1 type="late">')
}
