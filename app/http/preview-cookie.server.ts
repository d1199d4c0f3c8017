/**
 * The films on the page of a preview link are fetched by the browser itself, under their usual addresses. A cookie tells
 * which links the person has opened; whether they still open anything is asked each time.
 */
import type { Ctx } from '~/services/context.ts'
import { withPreviews } from '~/services/previews/preview-links.server.ts'
import { contextOf } from './context.server.ts'
import type { Exchange } from './exchange.server.ts'

/** Several previews may be open in tabs. */
const mostTokens = 5
const seconds = 86_400

function tokensIn(exchange: Exchange): string[] {
  return (exchange.cookie('preview') ?? '').split('.').filter((token) => token !== '')
}

export function rememberPreview(exchange: Exchange, token: string): void {
  const others = tokensIn(exchange).filter((one) => one !== token)
  exchange.setCookie('preview', [token, ...others].slice(0, mostTokens).join('.'), { maxAge: seconds })
}

/** The context of this request, with what the person's preview links open. */
export async function previewingContextOf(exchange: Exchange): Promise<Ctx> {
  const ctx = await contextOf(exchange)
  return withPreviews(ctx, { tokens: tokensIn(exchange).slice(0, mostTokens) })
}
