import { vitePlugin as remix } from '@remix-run/dev'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig, type Plugin } from 'vite'
import tsconfigPaths from 'vite-tsconfig-paths'
import remixConfig from './remix.config.js'

declare module '@remix-run/node' {
  interface Future {
    v3_singleFetch: true
  }
}

/**
 * Where a route's chunk cannot be fetched, Remix reloads the page, which takes it away from who is offline. Here it says so as Vite does of other
 * chunks, and waits for the listener (app/components/failures/lost-chunks.ts; docs/decisions/010).
 */
function tellLostRoutes(): Plugin {
  const load = 'import( /* webpackIgnore: true */route.module)'
  const reload = /window\.location\.reload\(\);\s*return new Promise\(\(\) => \{[^}]*\}\);/
  return {
    name: 'tell-lost-routes',
    apply: 'build',
    transform(code, id) {
      if (!id.endsWith('/@remix-run/react/dist/esm/routeModules.js')) return
      if (!reload.test(code) || !code.includes(load))
        this.error('Remix no longer loads and reloads here: see docs/decisions/010.')
      const instead = `
        losses.set(route.module, (losses.get(route.module) ?? 0) + 1);
        const lost = new Event("vite:preloadError", { cancelable: true });
        lost.payload = error;
        lost.before = arguments[2];
        // Thrown here it would leave an empty page: single fetch drops it. Thrown by the page it meets the error boundary.
        if (window.dispatchEvent(lost)) return { default() { throw error; } };
        await (lost.until ?? new Promise(() => {}));
        return loadRouteModule(route, routeModulesCache, lost);`
      // Most browsers do not fetch again what failed once under the same address.
      const fresh = `
        import(losses.has(route.module) ? route.module + "?again=" + losses.get(route.module) : route.module)`
      const loading = code.replace(load, () => fresh).replace(reload, () => instead)
      return { code: `const losses = new Map();\n${loading}`, map: null }
    },
  }
}

export default defineConfig({
  plugins: [tellLostRoutes(), tailwindcss(), remix(remixConfig), tsconfigPaths()],
  build: {
    target: 'es2022',
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    // Thirty files of a few hundred bytes cost a phone more than what some of them bring that a page does not need. `npm run bench` tells: with
    // 4,000 a page loads a sixth more.
    rollupOptions: { output: { experimentalMinChunkSize: 2500 } },
  },
})
