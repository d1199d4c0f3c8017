/** Reads and locks films of either kind. */
import { type RawBuilder, sql } from 'kysely'
import type { FilmKindName } from '~/forms/films.ts'
import { isUid } from '~/lib/uid.ts'
import { joins } from '../access/parts.server.ts'
import type { Ctx } from '../context.ts'
import { NotFound } from '../errors.ts'
import type { FilmState, LockedFilm, RevisedFilm } from './film-kind.ts'
import { mediaFieldsOf } from './media-fields.server.ts'
import { findFilmMedia } from './media-state.server.ts'

/** Reads the fields of a film that can be changed; `own` selects those that only its kind has. */
export async function readFilmState<State extends FilmState>(
  ctx: Ctx,
  kind: FilmKindName,
  uid: string,
  own: RawBuilder<unknown>,
): Promise<RevisedFilm<State>> {
  const { plans, tags, column } = joins[`${kind}s`]
  const { rows } = await sql<State & { revision: number }>`
    select film.revision, film.name, film.status, film.presenter, film.description, cover.name as "coverImg",
      film.cover_img_desc as "coverImgDesc", film.phases,
      film.shows_terms as "showsTerms",
      array(
        select plan.uid::text from ${sql.table(plans)} own join access_plans plan on plan.id = own.access_plan_id
        where own.${sql.ref(column)} = film.id order by plan.uid) as "accessPlanUids",
      array(
        select tag.text::text from ${sql.table(tags)} own join tags tag on tag.id = own.tag_id
        where own.${sql.ref(column)} = film.id order by tag.text_key) as tags,
      ${own}
    from ${sql.table(`${kind}s`)} film left join stored_files cover on cover.id = film.cover_file_id
    where film.uid = ${uid} and film.site_id = ${ctx.site.id}`.execute(ctx.db)
  const media = await findFilmMedia(ctx, { kind, uid })
  const [row] = rows
  if (!row || !media) throw new NotFound()
  const { revision, ...state } = row
  return { state: { ...state, ...mediaFieldsOf(media) } as unknown as State, revision, media }
}

/** Locks a film of the site until the transaction ends. Throws NotFound without one. */
export async function lockFilm(ctx: Ctx, kind: FilmKindName, uid: string): Promise<LockedFilm> {
  const film = await findAndLock(ctx, kind, uid, sql`deleted_at is null`)
  if (!film) throw new NotFound()
  return film
}

/** Locks a film that was deleted after this moment. */
export async function lockDeletedFilm(
  ctx: Ctx,
  kind: FilmKindName,
  uid: string,
  after: Date,
): Promise<LockedFilm | undefined> {
  return findAndLock(ctx, kind, uid, sql`deleted_at > ${after}`)
}

async function findAndLock(ctx: Ctx, kind: FilmKindName, uid: string, condition: RawBuilder<unknown>) {
  if (!isUid(uid)) return undefined
  const { rows } = await sql<LockedFilm>`
    select id, uid, name, revision from ${sql.table(`${kind}s`)}
    where uid = ${uid.toLowerCase()} and site_id = ${ctx.site.id} and ${condition} for update`.execute(ctx.db)
  return rows[0]
}
