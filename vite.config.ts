import { vitePlugin as remix } from '@remix-run/dev'
import tailwindcss from '@tailwindcss/vite'
import { minify } from 'oxc-minify'
import { defineConfig, type Plugin } from 'vite'
import tsconfigPaths from 'vite-tsconfig-paths'
import {
  inlineRemixSettings,
  remixClientFiles,
  reportLostRoutes,
  routeModulesFile,
} from './app/browser/remix-internals.ts'
import remixConfig from './remix.config.js'
import { chunkOf } from './server/client-chunks.ts'
import { browserPackages, loadedPackages } from './server/loaded-packages.ts'
import { routeCache } from './server/route-cache.ts'

declare module '@remix-run/node' {
  interface Future {
    v3_singleFetch: true
  }
}

const target = 'es2022'

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
function minifyForBrowser(): Plugin {
  return {
    name: 'minify-for-browser',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    renderChunk: {
      order: 'post',
      async handler(code, { fileName }) {
        const minified = await minify(fileName, code, {
          module: true,
          compress: { target, treeshake: { manualPureFunctions: ['warning', 'warningOnce'] } },
          mangle: { toplevel: true },
        })
        if (minified.errors.length > 0) this.error(minified.errors.map(({ message }) => message).join('\n'))
        return { code: minified.code, map: null }
      },
    },
  }
}

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [
    reportLostRouteChunks(),
    inlineRemixSettingsInBrowser(),
    routeCache(),
    tailwindcss(),
    remix(remixConfig),
    tsconfigPaths(),
    minifyForBrowser(),
  ],
  ssr: { noExternal: true, external: [...loadedPackages, ...browserPackages] },
  experimental: {
    // A script preloads other scripts from where it came from itself, which may be ASSET_ORIGIN, and style sheets from the site.
    renderBuiltUrl: (file, { hostType }) => {
      if (isSsrBuild || hostType !== 'js') return undefined
      if (file.endsWith('.js')) return { relative: true }
      return file.endsWith('.css') ? { runtime: `location.origin+${JSON.stringify(`/${file}`)}` } : undefined
    },
  },
  build: {
    target,
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    minify: false,
    ...(!isSsrBuild && { rollupOptions: { output: { manualChunks: chunkOf(), experimentalMinChunkSize: 2500 } } }),
  },
}))
