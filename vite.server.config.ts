import { defineConfig } from 'vite'
import tsconfigPaths from 'vite-tsconfig-paths'
import { loadedPackages } from './server/loaded-packages.ts'
import { routeCache } from './server/route-cache.ts'

/** The processes around the app bundle: web and worker, set-up, commands, preview. They are in dist/, because `remix vite:build` empties build/. */
export default defineConfig({
  plugins: [routeCache(), tsconfigPaths()],
  ssr: { noExternal: true, external: loadedPackages },
  publicDir: false,
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  build: {
    ssr: true,
    outDir: 'dist',
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    // Beside the files, for whoever reads a stack trace. Named in them, Node would load all of it at the start
    // (docs/decisions/025).
    sourcemap: 'hidden',
    rollupOptions: {
      input: {
        server: 'server/index.ts',
        setup: 'server/setup.ts',
        commands: 'server/commands.ts',
        preview: 'server/preview.ts',
        'demo-activity': 'server/demo-activity.ts',
      },
      output: { format: 'es' },
    },
  },
})
