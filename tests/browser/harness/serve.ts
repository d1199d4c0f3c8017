/** Serves the harness with Vite, so that a part of the console can be tried without the product's pages. */
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import tailwindcss from '@tailwindcss/vite'
import { createServer as createVite } from 'vite'
import tsconfigPaths from 'vite-tsconfig-paths'

export type Harness = { origin: string; end: () => Promise<void> }

export async function startHarness(): Promise<Harness> {
  const server: Server = createServer()
  const vite = await createVite({
    configFile: false,
    appType: 'custom',
    logLevel: 'error',
    plugins: [tailwindcss(), tsconfigPaths()],
    cacheDir: 'node_modules/.vite-harness',
    server: { middlewareMode: true, hmr: { server }, watch: null },
    esbuild: { jsx: 'automatic' },
    optimizeDeps: {
      entries: ['tests/browser/harness/entry.tsx', 'app/components/console/markdown/rich-editor.tsx'],
    },
    ssr: { noExternal: ['remix-validated-form', '@remix-validated-form/with-zod'] },
  })
  server.on('request', (req, res) => {
    if (new URL(req.url ?? '/', 'http://localhost').pathname !== '/') return vite.middlewares(req, res)
    const answer = async () => {
      const template = await vite.transformIndexHtml('/', await readFile('tests/browser/harness/index.html', 'utf8'))
      const { renderPage } = (await vite.ssrLoadModule('/tests/browser/harness/server-entry.tsx')) as {
        renderPage: (request: Request) => Promise<string>
      }
      res.setHeader('Content-Type', 'text/html; charset=utf-8')
      res.end(template.replace('<!--page-->', await renderPage(await requestOf(req))))
    }
    answer().catch((error: Error) => {
      res.statusCode = 500
      res.end(error.stack)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const end = async () => {
    server.closeAllConnections()
    server.close()
    await vite.close()
  }
  return { origin, end }
}

async function requestOf(req: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  const headers = new Headers({ 'content-type': req.headers['content-type'] ?? 'text/plain' })
  const body = req.method === 'POST' ? Buffer.concat(chunks) : undefined
  return new Request(`http://localhost${req.url}`, { method: req.method, headers, body })
}
