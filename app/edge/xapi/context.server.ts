import type { Exchange } from '~/http/exchange.server.ts'
import type { Ctx } from '~/services/context.ts'
import { openSiteContext } from '~/services/runtime.server.ts'

let base: Promise<Ctx> | undefined

/**
 * The context of a request before the client is known. The site of the key or token replaces its site later, so that a
 * request needs no query for it.
 */
export async function baseContextOf(exchange: Exchange): Promise<Ctx> {
  base ??= openSiteContext('institutional')
  try {
    return { ...(await base), now: exchange.startedAt, log: exchange.log, address: exchange.address }
  } catch (error) {
    base = undefined
    throw error
  }
}
