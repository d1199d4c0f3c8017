import type { z } from 'zod'
import type { filmFields } from '~/forms/films.ts'
import { searchKey } from '~/lib/text.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { setPlans, setTags, unknownPlan } from '../access/parts-writes.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { fileIdOf } from '../storage/files.server.ts'
import { ensureTags } from '../tags/tags.server.ts'
import { prepareCover, recordCover } from '../uploads/covers.server.ts'
import { mediaColumns, type PreparedMedia, prepareFilmMedia, recordFilmMedia } from './film-media.server.ts'
import { mediaOf, readMediaFields } from './media-fields.server.ts'

type FilmValues = z.output<z.ZodObject<typeof filmFields>> & { name: string }

type NewFilm = {
  kind: 'lecture' | 'video'
  uid: string
  values: FilmValues
  /** Inserts the row of its kind. Returns false if a film with this uid exists. */
  insert: (ctx: Ctx, columns: FilmColumns) => Promise<boolean>
}

export type FilmColumns = Awaited<ReturnType<typeof filmColumns>>

/**
 * Creates a lecture or a video with everything that belongs to it, for staff. The domain of its kind inserts the row.
 * Returns false if a film with this uid exists, and leaves that one as it is.
 */
export async function createFilm(ctx: Ctx, film: NewFilm): Promise<boolean> {
  requireStaff(ctx, 'write')
  const { kind, uid, values } = film
  // Making the picture and reading the media take time, so both happen before the transaction.
  const fields = await readMediaFields(ctx, values)
  const files = {
    cover: await prepareCover(ctx, { name: values.coverImg }),
    media: await prepareFilmMedia(ctx, { kind, uid, media: mediaOf(fields), duration: values.duration }),
  }
  return inTransaction(ctx, async (ctx) => {
    const isNew = await film.insert(ctx, await filmColumns(ctx, film, files))
    if (!isNew) return false
    await recordFilmMedia(ctx, { kind, uid, prepared: files.media })
    const owner = { kind: `${kind}s`, uid } as const
    if (!(await setPlans(ctx, owner, values.accessPlanUids))) throw unknownPlan()
    await setTags(ctx, owner, await ensureTags(ctx, { texts: values.tags }))
    await recordAudit(ctx, {
      action: `${kind}.created`,
      entity: kind,
      entityUid: uid,
      after: { ...fields, revision: 0 },
    })
    await queueIndexing(ctx, { kind, uids: [uid] })
    return true
  })
}

/** Records the files and returns the columns that the tables of lectures and videos share. */
async function filmColumns(
  ctx: Ctx,
  { uid, values }: NewFilm,
  files: {
    cover: Awaited<ReturnType<typeof prepareCover>>
    media: PreparedMedia
  },
) {
  const coverUid = await recordCover(ctx, { name: values.coverImg, prepared: files.cover })
  return {
    uid,
    site_id: ctx.site.id,
    name: values.name,
    search_key: searchKey(`${values.name} ${values.presenter}`),
    presenter: values.presenter,
    description: values.description,
    status: values.status,
    phases: values.phases,
    shows_terms: values.showsTerms,
    cover_file_id: fileIdOf(ctx, coverUid),
    cover_img_desc: values.coverImgDesc,
    ...mediaColumns(ctx, files.media),
  }
}
