import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { beginExchange, type Exchange } from '~/http/exchange.server.ts'

/** An exchange with a browser that sends these cookies, without their prefix. `cookie` reads one that was set. */
export function anExchange(cookies: Record<string, string>): { exchange: Exchange; cookie: (name: string) => string } {
  const request = new IncomingMessage(new Socket())
  request.headers.cookie = Object.entries(cookies)
    .map(([name, value]) => `titrate_${name}=${value}`)
    .join('; ')
  const response = new ServerResponse(request)
  const exchange = beginExchange(request, response, { isSecure: false, address: null, host: 'localhost' })
  const cookie = (name: string) =>
    new RegExp(`titrate_${name}=([^;,]*)`).exec(String(response.getHeader('Set-Cookie')))?.[1] ?? ''
  return { exchange, cookie }
}
