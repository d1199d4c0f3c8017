/*
 * Starts the page's scripts once it has been painted. A page is complete without them, and on a slow connection they
 * would take bandwidth from its styles, fonts and text. The server renames Remix's script and preload links so that the
 * browser ignores them (`holdScripts` in remix-internals.ts); this gives them their names back.
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
  // A tab in the background never paints.
  setTimeout(begin, 2000)
})()`

export function LateScripts({ nonce }: { nonce: string | undefined }) {
  // A constant text: it contains nothing from a person or a page.
  return <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: begin }} />
}
