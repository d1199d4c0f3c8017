import type { Exchange } from '~/http/exchange.server.ts'
import { titleOf } from '~/http/meta.ts'

/**
 * Answers the page that content returns to when a learner leaves it. It reads and sets no cookie, so it works in frames
 * of any origin, and it posts 'Exited' only to our own origin. It is a complete document, because the usual frame of a
 * page would ask who is signed in.
 */
export function exitPage(exchange: Exchange, productName: string): Response {
  const { nonce } = exchange
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf({ name: productName }, 'Exiting')}</title>
<style nonce="${nonce}">body { margin: 0; min-height: 100vh; display: grid; place-content: center; justify-items: center; gap: 1rem; font: 1rem/1.6 system-ui, sans-serif; color: #10292c; background: #f6f9f8 } a { color: inherit; padding: .75rem }</style>
</head>
<body>
<main>
<h1 style="font-size: 1.25rem; font-weight: 600">Exiting...</h1>
<p id="on" hidden><a href="/my-learning/" target="_top">Continue to My Learning</a></p>
<p id="in" hidden>You have left the module. Choose Close to continue.</p>
<noscript><p><a href="/my-learning/" target="_top">Continue to My Learning</a></p></noscript>
</main>
<script nonce="${nonce}">${script}</script>
</body>
</html>`
  return new Response(body, { headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' } })
}

/**
 * Says how to go on if the page stays: nobody heard it, or it is alone in its window. Content's frame lets no link out,
 * so there the way is the viewer's own Close.
 */
const script = `
for (const target of new Set([parent, top, opener, opener?.top])) if (target && target !== window) target.postMessage('Exited', location.origin)
if (opener && parent === window) window.close()
setTimeout(() => { document.getElementById(parent === window ? 'on' : 'in').hidden = false }, 600)
`
