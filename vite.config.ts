import { vitePlugin as remix } from '@remix-run/dev'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig, type Plugin } from 'vite'
import tsconfigPaths from 'vite-tsconfig-paths'
import { reportLostRoutes, routeModulesFile } from './app/browser/remix-internals.ts'
import remixConfig from './remix.config.js'
import { bundledPackages, routeCache } from './server/route-cache.ts'

declare module '@remix-run/node' {
  interface Future {
    v3_singleFetch: true
  }
}

/** See item 7 of app/browser/remix-internals.ts. */
function reportLostRouteChunks(): Plugin {
  return {
    name: 'report-lost-route-chunks',
    apply: 'build',
    transform(code, id) {
      if (!id.endsWith(`/${routeModulesFile}`)) return
      const changed = reportLostRoutes(code)
      if (changed === null)
        this.error('Remix loads route chunks differently now: see docs/decisions/023-remix-internals.md.')
      return { code: changed, map: null }
    },
  }
}

export default defineConfig({
  plugins: [reportLostRouteChunks(), routeCache(), tailwindcss(), remix(remixConfig), tsconfigPaths()],
  ssr: { noExternal: bundledPackages },
  build: {
    target: 'es2022',
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    // Thirty files of a few hundred bytes cost a phone more than a few bytes that a page does not need. By `npm run bench`, 4,000
    // would make a page load a sixth more.
    rollupOptions: { output: { experimentalMinChunkSize: 2500 } },
  },
})
