import type { Running } from './web.ts'

/** The entry point of all processes that `PROCESS_ROLE` names: web, worker, or both in one. */
async function main(): Promise<void> {
  // Before any import: React and others choose their slow development build otherwise.
  process.env.NODE_ENV ||= 'production'
  const { start } = process.env.PROCESS_ROLE === 'worker' ? await import('./worker.ts') : await import('./web.ts')
  stopWhenAsked(await start())
  process.send?.({ ready: true })
}

function stopWhenAsked({ close, announce, announceMs = 0, whenBroken }: Running): void {
  let isStopping = false
  const stop = (leave: () => void, delayMs: number) => {
    if (isStopping) return
    isStopping = true
    setTimeout(killSelf, delayMs + 10_000).unref()
    setTimeout(() => close().then(leave, killSelf), delayMs)
  }
  // Whoever sends a signal waits for the end, and kills after a deadline.
  const exit = () => process.exit(0)
  process.on('SIGTERM', () => {
    announce?.('This process is stopping.')
    stop(exit, announceMs)
  })
  process.on('SIGINT', () => stop(exit, 0))
  process.on('SIGHUP', () => stop(exit, 0))
  process.on('disconnect', () => stop(killSelf, 0))
  whenBroken?.((reason) => {
    announce?.(reason)
    stop(killSelf, announceMs)
  })
}

/**
 * Ends this process where nobody waits for its end. `process.exit` joins V8's threads first, and that can take forever
 * (nodejs/node#54918).
 */
function killSelf(): void {
  process.kill(process.pid, 'SIGKILL')
}

main().catch((error: Error) => {
  process.stderr.write(`Titrate cannot start: ${error.message}\n`)
  process.exit(1)
})
