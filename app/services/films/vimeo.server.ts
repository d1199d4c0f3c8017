/**
 * Asks Vimeo about a film (oEmbed): its page, its length and a still. The worker does so after the film was saved, since
 * Vimeo may be slow or out of reach; without an answer the film plays all the same.
 */
import { sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import { type FilmKind, vimeoPage } from '~/lib/film-address.ts'
import type { Ctx } from '../context.ts'
import { queue } from '../queue/queue.server.ts'
import type { FilmRef } from './media-state.server.ts'

const timeoutMs = 10_000
const answerBytes = 64 * 1024
const attempts = 4
const mostSeconds = 86_400
const longestAddress = 500

type Facts = { pageUrl: string; seconds: number | null; thumbnailUrl: string | null }

/** Queues the question in the transaction that sets the address. */
export async function queueVimeoLookUp(ctx: Ctx, { kind, uid }: FilmRef): Promise<void> {
  await queue(ctx, 'look-up-vimeo', { kind, uid }, { key: `look-up-vimeo:${kind}:${uid}`, attempts })
}

/** Job: throws if it is to be tried again. Writes nothing if the film has got another address meanwhile. */
export async function lookUpVimeo(
  ctx: Ctx,
  { kind, uid }: FilmRef,
  { signal }: { signal?: AbortSignal } = {},
): Promise<'found' | 'unknown to Vimeo' | 'not at Vimeo'> {
  const { rows } = await sql<{ videoUrl: string }>`
    select video_url as "videoUrl" from ${sql.table(`${kind}s`)}
    where site_id = ${ctx.site.id} and uid = ${uid} and deleted_at is null`.execute(ctx.db)
  const address = rows[0]?.videoUrl ?? ''
  const page = vimeoPage(address)
  if (!page) return 'not at Vimeo'
  const facts = await askVimeo(page, signal)
  if (!facts) return 'unknown to Vimeo'
  await setFacts(ctx, { kind, uid, address }, facts)
  return 'found'
}

/** Null if Vimeo knows no such film, or may not tell us about it. */
async function askVimeo(pageUrl: string, signal?: AbortSignal): Promise<Facts | null> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const response = await fetch(`${env().VIMEO_OEMBED_URL}?${new URLSearchParams({ url: pageUrl })}`, {
    headers: { Accept: 'application/json' },
    // The answer must come from this address. A redirect could lead to a machine behind our firewall.
    redirect: 'error',
    signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
  })
  if ([400, 401, 403, 404, 410].includes(response.status)) {
    await response.body?.cancel()
    return null
  }
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`Vimeo answered with HTTP ${response.status}`)
  }
  return { pageUrl, ...factsIn(JSON.parse(await readText(response))) }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = response.body?.getReader()
  for (;;) {
    const part = await reader?.read()
    if (!part || part.done) return Buffer.concat(chunks).toString('utf8')
    size += part.value.length
    if (size > answerBytes) {
      await reader?.cancel()
      throw new Error('The answer from Vimeo is too long')
    }
    chunks.push(part.value)
  }
}

/** Takes from the answer only what can be used: it is a text from outside. */
function factsIn(answer: unknown): Pick<Facts, 'seconds' | 'thumbnailUrl'> {
  const { duration, thumbnail_url: still } = (answer ?? {}) as { duration?: unknown; thumbnail_url?: unknown }
  const isLength = typeof duration === 'number' && duration > 0 && duration <= mostSeconds
  const isStill = typeof still === 'string' && still.length <= longestAddress && URL.canParse(still)
  return {
    seconds: isLength ? Math.round(duration) : null,
    thumbnailUrl: isStill && new URL(still).protocol === 'https:' ? still : null,
  }
}

async function setFacts(ctx: Ctx, film: FilmRef & { address: string }, facts: Facts): Promise<void> {
  const tables: Record<FilmKind, 'lectures' | 'videos'> = { lecture: 'lectures', video: 'videos' }
  await ctx.db
    .updateTable(tables[film.kind])
    .set({
      vimeo_full_url: facts.pageUrl,
      thumbnail_url: facts.thumbnailUrl,
      ...(facts.seconds !== null && { duration: facts.seconds }),
    })
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', film.uid)
    .where('video_url', '=', film.address)
    .execute()
}
