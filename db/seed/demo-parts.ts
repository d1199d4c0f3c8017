/** What the parts of the demo content share. */
import { createHash } from 'node:crypto'
import sharp from 'sharp'
import { brands } from '../../app/config/brands.ts'
import { type CoverPhase, drawCover, hash } from '../../app/lib/cover.ts'
import { motifNames } from '../../app/lib/cover-motifs.ts'
import type { Ctx } from '../../app/services/context.ts'

/** The same at every start, so that one that was cut off is gone on with and nothing is there twice. */
export function uidOf(ctx: Ctx, kind: string, slug: string): string {
  const hex = createHash('sha256').update(`demo ${kind}|${ctx.site.uid}|${slug}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

/** The cover as an author would upload it, in the size that the dialog asks for. */
export async function drawPicture(
  ctx: Ctx,
  source: { name: string; motif: string },
  phase: CoverPhase = 'discover',
): Promise<Buffer> {
  const motif = motifNames.indexOf(source.motif)
  if (motif < 0) throw new Error(`"${source.name}": there is no motif "${source.motif}"`)
  const seed = hash(source.name)
  const svg = drawCover(seed - (seed % motifNames.length) + motif, phase, brands[ctx.site.key].palette)
  return sharp(Buffer.from(svg), { density: 96 }).resize(700, 394, { fit: 'cover' }).png({ palette: true }).toBuffer()
}
