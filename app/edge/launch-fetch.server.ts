/**
 * The fetch address of a launch gives out the token for `/xapi/` once (cmi5 8.2). The address is the permission; no
 * cookie is read.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Exchange } from '~/http/exchange.server.ts'
import { fetchToken } from '~/services/cmi5/cmi5.server.ts'
import { answerPreflight, setCommonHeaders } from './xapi/answer.server.ts'
import { baseContextOf } from './xapi/context.server.ts'

export async function handleLaunchFetch(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  setCommonHeaders(res)
  if (req.method === 'OPTIONS') return answerPreflight(res, exchange.header('access-control-request-headers'))
  // cmi5 8.2.1: a GET could be cached, and would give the token to crawlers and link previews.
  if (req.method !== 'POST') {
    res.setHeader('Allow', 'POST, OPTIONS')
    return answer(res, 405, errorOf('3', 'Only POST returns the token.'))
  }
  try {
    const secret = exchange.url.split('?')[0]?.split('/').filter(Boolean).at(-1) ?? ''
    const result = await fetchToken(await baseContextOf(exchange), { secret })
    answer(res, 200, 'token' in result ? { 'auth-token': result.token } : errorOf(result.errorCode, result.errorText))
  } catch (error) {
    exchange.log.error({ err: error }, 'launch fetch failed')
    // cmi5 8.2.3.2: a unit reads the error code whatever the status is.
    answer(res, 200, errorOf('3', 'The learning platform cannot answer now. Launch the unit again.'))
  } finally {
    req.resume()
  }
}

function errorOf(code: '1' | '2' | '3', text: string): object {
  return { 'error-code': code, 'error-text': text }
}

function answer(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'Content-Type': 'application/json' })
  res.end(JSON.stringify(body))
}
