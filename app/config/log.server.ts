import pino from 'pino'
import { env } from './env.server.ts'

let instance: pino.Logger | undefined

/** One JSON line each, to standard output; no personal data. */
export function logger(): pino.Logger {
  instance ??= pino({
    level: env().LOG_LEVEL,
    base: { role: env().PROCESS_ROLE },
    timestamp: pino.stdTimeFunctions.isoTime,
  })
  return instance
}
