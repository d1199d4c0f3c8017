/** The entry point of all processes that `PROCESS_ROLE` names: web, worker, or both in one. */
async function main(): Promise<void> {
  // Before any import: React and others choose their slow development build otherwise.
  process.env.NODE_ENV ||= 'production'
  const { start } = process.env.PROCESS_ROLE === 'worker' ? await import('./worker.ts') : await import('./web.ts')
  stopOnSignal(await start())
  process.send?.({ ready: true })
}

function stopOnSignal(close: () => Promise<void>): void {
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(1), 10_000).unref()
    close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  process.on('SIGHUP', stop)
  process.on('disconnect', stop)
}

main().catch((error: Error) => {
  process.stderr.write(`Titrate cannot start: ${error.message}\n`)
  process.exit(1)
})
