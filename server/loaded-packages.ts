/**
 * Packages that the server loads from node_modules: native ones, those that read files of their own, and CommonJS ones
 * that choose their code when they are loaded. Everything else is bundled, since reading two thousand small files would
 * be half the time of a start.
 *
 * Remix and the router have to be bundled: route-cache.ts changes them. So does every package that uses Remix's hooks,
 * because it would look for React contexts in its own copy of Remix.
 */
export const loadedPackages = [
  '@node-rs/argon2',
  'express',
  'graphile-worker',
  'gray-matter',
  'libxml2-wasm',
  'pg',
  'pino',
  'react',
  'react-dom',
  'sharp',
]

/**
 * Packages of editors and tables, which only the browser loads. The server never runs them, and bundling them would take
 * a fifth of the time of its build.
 */
export const browserPackages = ['ag-grid-community', 'ag-grid-react', '@milkdown/kit']
