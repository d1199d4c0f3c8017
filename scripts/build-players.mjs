/** Bundles the player of the demo units, once with each of the two published cmi5 client libraries. */
import { copyFile, mkdir } from 'node:fs/promises'
import { build } from 'esbuild'

await mkdir('dist/players', { recursive: true })
await build({
  entryPoints: ['seed/player/rustici.ts', 'seed/player/xapi.ts'],
  outdir: 'dist/players',
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  logLevel: 'warning',
})
await copyFile('seed/player/player.css', 'dist/players/player.css')
