/**
 * Owns the embedded database in the folder of its first argument until it ends, with as many connections as its second
 * says. Tests can kill this process.
 */
import { startEmbedded } from '../../server/embedded-pg.mjs'

try {
  const { url, port, pid, isAdopted, stop } = await startEmbedded({
    dir: process.argv[2] ?? '',
    quick: true,
    connections: Number(process.argv[3] ?? 60),
    name: 'npm start',
  })
  console.log(JSON.stringify({ url, port, postmaster: pid(), isAdopted }))
  process.on('SIGTERM', async () => {
    await stop()
    process.exit(0)
  })
  setInterval(() => {}, 1000)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
