import { data } from '@remix-run/node'
import type { Exchange } from '~/http/exchange.server.ts'
import type { Account } from '~/services/accounts/accounts.server.ts'
import { Unavailable } from '~/services/errors.ts'

type GoodLink = { account: { firstName: string; email: string } }
type BadLink = { account: null; message: string }

/**
 * Opens a mailed link: returns the data of the account's page, or an explanation with 404, or with 429 if somebody is
 * guessing links.
 */
export async function openLink(
  exchange: Exchange,
  find: Promise<Account | null>,
  explain: () => string | Promise<string>,
) {
  try {
    const account = await find
    if (!account) return data<BadLink>({ account: null, message: await explain() }, { status: 404 })
    return data<GoodLink>({ account: { firstName: account.firstName, email: account.email } })
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    exchange.setHeader('Retry-After', String(error.retryAfter))
    return data<BadLink>({ account: null, message: error.message }, { status: 429 })
  }
}
