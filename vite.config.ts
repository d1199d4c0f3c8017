import { vitePlugin as remix } from '@remix-run/dev'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import tsconfigPaths from 'vite-tsconfig-paths'
import {
  inlineRemixSettings,
  remixClientFiles,
  reportLostRoutes,
  routeModulesFile,
} from './app/browser/remix-internals.ts'
import remixConfig from './remix.config.js'
import { chunkOf } from './server/client-chunks.ts'
import { loadedPackages } from './server/loaded-packages.ts'
import { routeCache } from './server/route-cache.ts'

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

/** See item 8 of app/browser/remix-internals.ts. The server makes its own choices, so its copy stays as it is. */
function inlineRemixSettingsInBrowser(): Plugin {
  return {
    name: 'inline-remix-settings',
    apply: 'build',
    transform(code, id, options) {
      if (options?.ssr || !remixClientFiles.test(id.split('?', 1)[0] ?? id)) return
      return { code: inlineRemixSettings(code, remixConfig.future ?? {}), map: null }
    },
  }
}

/** A twentieth less to load than what esbuild makes. Without what the router would say to its developers. */
const smallest: UserConfig['build'] = {
  minify: 'terser',
  terserOptions: { module: true, ecma: 2020, compress: { passes: 3, pure_funcs: ['warning', 'warningOnce'] } },
  rollupOptions: { output: { manualChunks: chunkOf(), experimentalMinChunkSize: 2500 } },
}

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [
    reportLostRouteChunks(),
    inlineRemixSettingsInBrowser(),
    routeCache(),
    tailwindcss(),
    remix(remixConfig),
    tsconfigPaths(),
  ],
  ssr: { noExternal: true, external: loadedPackages },
  experimental: {
    // A script preloads other scripts from where it came from itself, which may be ASSET_ORIGIN, and style sheets from the site.
    renderBuiltUrl: (file, { hostType }) => {
      if (isSsrBuild || hostType !== 'js') return undefined
      if (file.endsWith('.js')) return { relative: true }
      return file.endsWith('.css') ? { runtime: `location.origin+${JSON.stringify(`/${file}`)}` } : undefined
    },
  },
  build: {
    target: 'es2022',
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    ...(!isSsrBuild && smallest),
  },
}))
