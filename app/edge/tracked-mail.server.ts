/**
 * `/e/{mail}.gif` and `/e/{mail}/{link}`: the picture and the links of an email, which count what its recipient does.
 * Both answer at once and record afterwards. The picture is always one, and a link leads nowhere but to the links of its
 * own message, or to the site's home.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { doAfterwards } from '~/http/afterwards.server.ts'
import { anonymousContextOf } from '~/http/context.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import {
  findMailLink,
  type MailVisit,
  recordMailClick,
  recordMailOpen,
} from '~/services/announcements/track-mails.server.ts'
import { outageOf } from '~/services/errors.ts'

const uid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const pictureAddress = new RegExp(`^/e/(${uid})\\.gif(?:\\?|$)`, 'i')
const linkAddress = new RegExp(`^/e/(${uid})/(${uid})/?(?:\\?|$)`, 'i')

/** One transparent pixel. */
const picture = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

export async function handleTrackedMail(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  req.resume()
  res.setHeader('Cache-Control', 'no-store')
  // The address must not reach the page that a link leads to.
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('X-Robots-Tag', 'noindex')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
    res.statusCode = 405
    res.setHeader('Allow', 'GET, HEAD')
    return void res.end()
  }
  const [path = ''] = exchange.url.split('?', 1)
  const visit = visitOf(exchange)
  if (path.endsWith('.gif')) {
    const mailUid = pictureAddress.exec(exchange.url)?.[1]
    if (mailUid) {
      doAfterwards(exchange, async () => recordMailOpen(await anonymousContextOf(exchange), { mailUid, visit }))
    }
    res.setHeader('Content-Type', 'image/gif')
    res.setHeader('Content-Length', picture.length)
    return void res.end(exchange.method === 'HEAD' ? undefined : picture)
  }
  const [, mailUid, link] = linkAddress.exec(exchange.url) ?? []
  res.statusCode = 302
  res.setHeader('Location', await targetOf(exchange, { mailUid, link, visit }))
  res.end()
}

type Followed = { mailUid: string | undefined; link: string | undefined; visit: MailVisit }

async function targetOf(exchange: Exchange, { mailUid, link, visit }: Followed): Promise<string> {
  const home = '/'
  if (!mailUid || !link) return home
  const ctx = await anonymousContextOf(exchange)
  try {
    const url = await findMailLink(ctx, { mailUid, link })
    if (url === null) return home
    doAfterwards(exchange, () => recordMailClick(ctx, { mailUid, link, visit }))
    return url
  } catch (error) {
    // Whoever tries again when the database is back gets to the page.
    if (outageOf(error)) throw error
    exchange.log.error({ err: error }, 'the link of a mail could not be found')
    return home
  }
}

function visitOf(exchange: Exchange): MailVisit {
  const purposes = ['purpose', 'sec-purpose', 'x-purpose', 'x-moz'].map((name) => exchange.header(name))
  return { method: exchange.method, agent: exchange.agent, purposes }
}
