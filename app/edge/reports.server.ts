/**
 * `/api/reports/…`, the reports as CSV files, for admins in a browser and for programs with an access token. A browser
 * without a session goes to the login and back. In a browser, a long report leads to the question whether a job should
 * make the file. A question that is refused leads to its form, and a download that is refused because many files are being
 * read leads to its report. Programs get the file or the sentence at once.
 * `/api/reports/files/{uid}/` is such a file, for the admin who asked for it. If it is gone or not ready, a browser is led to
 * the list of files.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { rowOfFile } from '~/forms/report-files.ts'
import { findReport, reportPagePath } from '~/forms/report-list.ts'
import { reportQuestionOf } from '~/forms/reports.ts'
import { bearerOf, contextOf, tokenContextOf } from '~/http/context.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { sendGrowingCsv } from '~/http/report-file.server.ts'
import { attachment, serveBytes } from '~/http/serve-file.server.ts'
import { loginAddress } from '~/lib/next-address.ts'
import { isUid } from '~/lib/uid.ts'
import { stopViewingPath } from '~/lib/viewing.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden, Invalid, NotFound, Outage, outageOf, Unavailable } from '~/services/errors.ts'
import { getReportFileToServe } from '~/services/reports/report-files.server.ts'
import { openReport } from '~/services/reports/reports.server.ts'
import { storage } from '~/services/storage/storage.server.ts'

const noAccess = 'Sorry, you do not have access to this page.'

/** True for the address of a report or of a file that a job has made. */
export function isReport(exchange: Exchange): boolean {
  return findReport(pathOf(exchange)) !== undefined || fileIn(exchange) !== null
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
    const fileUid = fileIn(exchange)
    if (ctx && fileUid !== null) await serveFile(ctx, req, res, fileUid)
    else if (ctx) await answer(ctx, res, exchange, gone.signal)
  } catch (error) {
    if (gone.signal.aborted) return
    if (res.headersSent) throw error
    if (!isForPeople(exchange)) return refuse(res, exchange, error)
    const [fileUid, report] = [fileIn(exchange), findReport(pathOf(exchange))]
    if (fileUid !== null && isFileNotThere(error)) await leadToFiles(res, exchange, { fileUid, text: error.message })
    else if (report && error instanceof Unavailable && !(error instanceof Outage)) {
      const page = `${reportPagePath(report)}${addressOf(exchange).search}`
      await leadTo(res, exchange, page, error.message)
    } else refuse(res, exchange, error)
  }
}

/** The context of the request; null if the answer has been given. The service decides what its viewer may see. */
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
  if (isForPeople(exchange)) {
    const { pathname, search } = addressOf(exchange)
    return redirect(res, loginAddress({ pathname, search }, { isDoubled: exchange.isDoubled('session') }))
  }
  say(res, 401, 'Login required.')
  return null
}

async function answer(ctx: Ctx, res: ServerResponse, exchange: Exchange, signal: AbortSignal): Promise<void> {
  const { searchParams: asked, search } = addressOf(exchange)
  const path = pathOf(exchange)
  const report = findReport(path)
  // A link leads people to a file that their spreadsheet may open.
  const isRaw = asked.get('raw') === '1' && !isForPeople(exchange)
  const opened = await openReport(ctx, { path, question: reportQuestionOf(asked), signal }).catch((error: unknown) => {
    // The page has the form with what was chosen, and says what is missing beside each field.
    if (error instanceof Invalid && report && isForPeople(exchange)) return null
    throw error
  })
  if (report && !opened) redirect(res, `${reportPagePath(report)}${search}`)
  if (!opened) return
  const { fileName, parts, estimate } = opened
  if (exchange.method === 'HEAD') {
    res.setHeader('Content-Type', 'text/csv; charset=utf-8')
    res.end()
    return
  }
  if (report && isForPeople(exchange) && (await estimate()).isLong) {
    redirect(res, `${reportPagePath(report)}prepare/${search}`)
    return
  }
  await sendGrowingCsv(res, { fileName, parts, isRaw })
}

/** Browsers that show pages say so. A page can explain what a file cannot. */
function isForPeople(exchange: Exchange): boolean {
  return bearerOf(exchange) === null && (exchange.header('accept') ?? '').includes('text/html')
}

async function serveFile(ctx: Ctx, req: IncomingMessage, res: ServerResponse, fileUid: string): Promise<void> {
  const { fileName, storageKey, size } = await getReportFileToServe(ctx, { fileUid })
  res.setHeader('Content-Disposition', attachment(fileName))
  const contentType = 'text/csv; charset=utf-8'
  await serveBytes(req, res, storage(), {
    storageKey,
    size,
    etag: `"${fileUid}"`,
    contentType,
    cacheControl: 'no-store',
  })
}

function isFileNotThere(error: unknown): error is NotFound {
  return error instanceof NotFound && ['report_file.gone', 'report_file.unready'].includes(error.code)
}

/** The list says what became of the file. */
async function leadToFiles(
  res: ServerResponse,
  exchange: Exchange,
  { fileUid, text }: { fileUid: string; text: string },
): Promise<void> {
  const list = `/dashboard/reports/files/${isUid(fileUid) ? `#${rowOfFile(fileUid.toLowerCase())}` : ''}`
  await leadTo(res, exchange, list, text)
}

async function leadTo(res: ServerResponse, exchange: Exchange, page: string, text: string): Promise<void> {
  await redirectWithNotice({ context: { exchange } }, page, { kind: 'error', text })
  redirect(res, page)
}

/** Says what people are told about an error. Every other error is a fault, and thrown. */
function refuse(res: ServerResponse, exchange: Exchange, error: unknown): void {
  const outage = outageOf(error)
  if (outage) {
    exchange.log.error({ err: error }, 'a report could not be read')
  }
  const away = outage ?? error
  if (away instanceof Unavailable) res.setHeader('Retry-After', String(away.retryAfter))
  const [status, sentence] = refusalOf(outage ?? error) ?? []
  if (status === undefined || sentence === undefined) throw error
  say(res, status, sentence)
}

function refusalOf(error: unknown): [status: number, sentence: string] | null {
  if (error instanceof Unavailable) return [503, error.message]
  if (error instanceof NotFound) {
    return [404, isFileNotThere(error) ? error.message : 'There is no such report.']
  }
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

/** The uid of a file that a job has made, in its address. */
function fileIn(exchange: Exchange): string | null {
  return /^files\/([^/]+)$/.exec(pathOf(exchange))?.[1] ?? null
}
