import type { LoaderFunctionArgs } from '@remix-run/node'
import { brands } from '~/config/brands.ts'
import { env } from '~/config/env.server.ts'
import { exitPage } from '~/pages/module-exit.server.ts'
import { siteKeyOfHost } from '~/services/sites/sites.server.ts'

/** Uses no context, because that would read the session's cookie. */
export async function loader({ context }: LoaderFunctionArgs): Promise<Response> {
  const { exchange } = context
  return exitPage(exchange, brands[siteKeyOfHost(exchange.host, env().NS_HOST_SUFFIXES)].name)
}
