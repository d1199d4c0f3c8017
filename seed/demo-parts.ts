/** Functions that the demo content shares. Seeds call the same services as pages do, and act as the operator. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { brands, type SiteKey } from '../app/config/brands.ts'
import { type CoverPhase, drawCover, hash, isCoverPhase } from '../app/lib/cover.ts'
import { motifNames } from '../app/lib/cover-motifs.ts'
import type { Ctx } from '../app/services/context.ts'
import { receiveUpload } from '../app/services/uploads/uploads.server.ts'

/** Returns the same uid at every start, so that interrupted seeding continues and creates nothing twice. */
export function uidOf(ctx: Ctx, kind: string, slug: string): string {
  const hex = createHash('sha256').update(`demo ${kind}|${ctx.site.uid}|${slug}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

/** Draws and uploads a cover in the size that the dialog requires. Returns its name, as an author's upload would. */
export async function uploadCover(
  ctx: Ctx,
  source: { name: string; motif: string },
  phase: CoverPhase = 'discover',
): Promise<string> {
  const motif = motifNames.indexOf(source.motif)
  if (motif < 0) throw new Error(`"${source.name}": there is no motif "${source.motif}"`)
  const seed = hash(source.name)
  const svg = drawCover(seed - (seed % motifNames.length) + motif, phase, brands[ctx.site.key].palette)
  const picture = sharp(Buffer.from(svg), { density: 96 }).resize(700, 394, { fit: 'cover' }).png({ palette: true })
  const bytes = await picture.toBuffer()
  const { name } = await receiveUpload(ctx, {
    kind: 'cover_img',
    fileName: 'cover.png',
    source: Readable.from([bytes]),
  })
  return name
}

/** The chapter with this name, and the phase of its section, which the cover shows. */
export async function findChapter(ctx: Ctx, name: string): Promise<{ uid: string; phase: CoverPhase | undefined }> {
  const { uid, phase } = await ctx.db
    .selectFrom('chapters')
    .innerJoin('sections', 'sections.id', 'chapters.section_id')
    .select(['chapters.uid', 'sections.frontend_id as phase'])
    .where('chapters.site_id', '=', ctx.site.id)
    .where('chapters.name', '=', name)
    .executeTakeFirstOrThrow()
  return { uid, phase: isCoverPhase(phase) ? phase : undefined }
}

/** Content of one site names it; content without a site is on both. */
export function isOnSite({ site }: { site?: SiteKey }, key: SiteKey): boolean {
  return site === undefined || site === key
}
