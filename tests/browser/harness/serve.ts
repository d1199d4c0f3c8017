/** Serves the harness, built by Vite, so that a part of the console can be tried without the product's pages. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import sirv from 'sirv'
import { build, type InlineConfig } from 'vite'
import tsconfigPaths from 'vite-tsconfig-paths'

export type Harness = { origin: string; end: () => Promise<void> }

const folder = 'tests/browser/harness'

export async function startHarness(): Promise<Harness> {
  // Inside the project, so that the part for the server finds its packages.
  const built = mkdtempSync(path.resolve('node_modules/.harness-'))
  await buildHarness(built)
  const template = readFileSync(path.join(built, 'client', folder, 'index.html'), 'utf8')
  const { renderPage } = (await import(pathToFileURL(path.join(built, 'server/server-entry.js')).href)) as {
    renderPage: (request: Request) => Promise<string>
  }
  const [files, publicFiles] = [sirv(path.join(built, 'client')), sirv('public')]
  const server: Server = createServer((req, res) => {
    if (new URL(req.url ?? '/', 'http://localhost').pathname !== '/')
      return files(req, res, () => publicFiles(req, res))
    const answer = async () => {
      const page = await renderPage(await requestOf(req))
      res.setHeader('Content-Type', 'text/html; charset=utf-8')
      res.end(template.replace('<!--page-->', () => page))
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
    rmSync(built, { recursive: true, force: true })
  }
  return { origin, end }
}

/** Builds both parts: one bundle loads in a quarter of the time that the modules of a development server take. */
async function buildHarness(to: string): Promise<void> {
  const settings = (more: InlineConfig['build']): InlineConfig => ({
    configFile: false,
    logLevel: 'error',
    plugins: [tailwindcss(), tsconfigPaths()],
    esbuild: { jsx: 'automatic' },
    define: { 'process.env.NODE_ENV': '"production"' },
    ssr: { noExternal: ['remix-validated-form', '@remix-validated-form/with-zod'] },
    build: {
      target: 'es2022',
      minify: false,
      reportCompressedSize: false,
      assetsInlineLimit: 0,
      copyPublicDir: false,
      ...more,
    },
  })
  await build(settings({ outDir: path.join(to, 'client'), rollupOptions: { input: `${folder}/index.html` } }))
  await build(settings({ outDir: path.join(to, 'server'), ssr: `${folder}/server-entry.tsx` }))
}

async function requestOf(req: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  const headers = new Headers({ 'content-type': req.headers['content-type'] ?? 'text/plain' })
  const body = req.method === 'POST' ? Buffer.concat(chunks) : undefined
  return new Request(`http://localhost${req.url}`, { method: req.method, headers, body })
}
