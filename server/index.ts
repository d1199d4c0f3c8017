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
  const stop = (code: number, delayMs: number) => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(1), delayMs + 10_000).unref()
    setTimeout(() => {
      close().then(
        () => process.exit(code),
        () => process.exit(1),
      )
    }, delayMs)
  }
  const stopSoon = (code: number, reason: string) => {
    announce?.(reason)
    stop(code, announceMs)
  }
  process.on('SIGTERM', () => stopSoon(0, 'This process is stopping.'))
  process.on('SIGINT', () => stop(0, 0))
  process.on('SIGHUP', () => stop(0, 0))
  process.on('disconnect', () => stop(0, 0))
  whenBroken?.((reason) => stopSoon(1, reason))
}

main().catch((error: Error) => {
  process.stderr.write(`Titrate cannot start: ${error.message}\n`)
  process.exit(1)
})
