/**
 * `/api/reports/…`, the reports as CSV files, for admins in a browser and for programs with an access token. A browser
 * without a session goes to the login and back.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brands } from '~/config/brands.ts'
import { findReport, reportQuestionOf } from '~/forms/reports.ts'
import { bearerOf, contextOf, tokenContextOf } from '~/http/context.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import { sendGrowingCsv } from '~/http/report-file.server.ts'
import { csvFileName } from '~/lib/csv.ts'
import { loginAddress } from '~/lib/next-address.ts'
import { type ReportPeriod, reportPeriodLabels } from '~/lib/report-periods.ts'
import { stopViewingPath } from '~/lib/viewing.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden, Invalid, NotFound, outageOf, Unavailable } from '~/services/errors.ts'
import { openReport } from '~/services/reports/reports.server.ts'

const noAccess = 'Sorry, you do not have access to this page.'

/** True for the address of a report. */
export function isReport(exchange: Exchange): boolean {
  return findReport(pathOf(exchange)) !== undefined
}

export async function handleReport(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  req.resume()
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
    res.setHeader('Allow', 'GET, HEAD')
    return say(res, 405, 'Request a report with GET.')
  }
  const gone = new AbortController()
  res.on('close', () => gone.abort())
  try {
    const ctx = await admitted(res, exchange)
    if (ctx) await answer(ctx, res, exchange, gone.signal)
  } catch (error) {
    if (gone.signal.aborted) return
    if (res.headersSent) throw error
    refuse(res, exchange, error)
  }
}

/** The context of who asks; null if the answer has been given. What they may see is decided by the service. */
async function admitted(res: ServerResponse, exchange: Exchange): Promise<Ctx | null> {
  const bearer = bearerOf(exchange)
  if (bearer !== null) {
    const opened = await tokenContextOf(exchange, bearer)
    if (opened) return opened.ctx
    res.setHeader('WWW-Authenticate', 'Bearer error="invalid_token"')
    say(res, 401, 'This access token is unknown, expired or revoked.')
    return null
  }
  const ctx = await contextOf(exchange)
  // Not a refusal: the admin has to know that this browser views the site as somebody else.
  if (ctx.viewAs) return redirect(res, stopViewingPath)
  if (ctx.viewer) return ctx
  if ((exchange.header('accept') ?? '').includes('text/html')) {
    const { pathname, search } = addressOf(exchange)
    return redirect(res, loginAddress({ pathname, search }, { isDoubled: exchange.isDoubled('session') }))
  }
  say(res, 401, 'Login required.')
  return null
}

async function answer(ctx: Ctx, res: ServerResponse, exchange: Exchange, signal: AbortSignal): Promise<void> {
  const { searchParams: asked } = addressOf(exchange)
  const { title, period, parts } = await openReport(ctx, {
    path: pathOf(exchange),
    question: reportQuestionOf(asked),
    signal,
  })
  const fileName = csvFileName(brands[ctx.site.key].name, `${title} ${inWords(period)}`)
  if (exchange.method === 'HEAD') {
    res.setHeader('Content-Type', 'text/csv; charset=utf-8')
    res.end()
    return
  }
  await sendGrowingCsv(res, { fileName, parts, isRaw: asked.get('raw') === '1' })
}

/** "This Month 2026-11-01 to 2026-11-28" */
function inWords({ name, firstDay, lastDay }: ReportPeriod): string {
  return `${reportPeriodLabels[name]} ${firstDay === null ? '' : `${firstDay} `}to ${lastDay}`
}

/** Says what people are told about an error. Every other error is a fault, and thrown. */
function refuse(res: ServerResponse, exchange: Exchange, error: unknown): void {
  const outage = outageOf(error)
  if (outage) {
    exchange.log.error({ err: error }, 'a report could not be read')
    res.setHeader('Retry-After', String(outage.retryAfter))
  }
  const [status, sentence] = refusalOf(outage ?? error) ?? []
  if (status === undefined || sentence === undefined) throw error
  say(res, status, sentence)
}

function refusalOf(error: unknown): [status: number, sentence: string] | null {
  if (error instanceof Unavailable) return [503, error.message]
  if (error instanceof NotFound) return [404, 'There is no such report.']
  if (error instanceof Invalid) return [400, error.message]
  if (error instanceof Forbidden) return [403, noAccess]
  return null
}

function redirect(res: ServerResponse, address: string): null {
  res.writeHead(302, { Location: address })
  res.end()
  return null
}

function say(res: ServerResponse, status: number, sentence: string): void {
  res.statusCode = status
  res.setHeader('Content-Type', 'text/plain; charset=utf-8')
  res.end(`${sentence}\n`)
}

function addressOf(exchange: Exchange): URL {
  return new URL(exchange.url, 'http://here.invalid')
}

/** The path of the report, such as `logins/total`. */
function pathOf(exchange: Exchange): string {
  const path = exchange.url.split('?', 1)[0] ?? ''
  return /^\/api\/reports\/(.+?)\/?$/.exec(path)?.[1] ?? ''
}
