import pino from 'pino'
import { env } from './env.server.ts'

let instance: pino.Logger | undefined

/** Writes one JSON line per entry to standard output, without personal data. */
export function logger(): pino.Logger {
  instance ??= pino({
    level: env().LOG_LEVEL,
    base: { role: env().PROCESS_ROLE },
    timestamp: pino.stdTimeFunctions.isoTime,
  })
  return instance
}
