import type { Exchange } from '~/http/exchange.server.ts'
import type { Ctx } from '~/services/context.ts'
import { openSiteContext } from '~/services/runtime.server.ts'

let base: Promise<Ctx> | undefined

/**
 * The context of a request before it is known who asks. Its site is replaced by that of the key or token, so that
 * nothing about it has to be read for each request.
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
