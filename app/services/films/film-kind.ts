import type { Updateable } from 'kysely'
import type { z } from 'zod'
import type { FilmKindName, FilmPhase, FilmStatus } from '~/forms/films.ts'
import type { Lectures } from '~db/schema.ts'
import type { Ctx } from '../context.ts'
import type { Field, Revised } from '../revisions.ts'
import type { MediaFields } from './media-fields.server.ts'
import type { MediaState } from './media-state.server.ts'

/** The fields that both kinds of films have and that can be changed. An old film may have no cover. */
export type FilmState = MediaFields & {
  name: string
  status: FilmStatus
  presenter: string
  description: string
  coverImg: string | null
  coverImgDesc: string
  accessPlanUids: string[]
  phases: FilmPhase[]
  tags: string[]
  showsTerms: boolean
}

/** The media once more as they are stored, with the names of files that people see. */
export type RevisedFilm<State extends FilmState> = Revised<State> & { media: MediaState }

export type LockedFilm = { id: number; uid: string; name: string; revision: number }

type SharedColumn =
  | 'name'
  | 'search_key'
  | 'presenter'
  | 'description'
  | 'status'
  | 'phases'
  | 'shows_terms'
  | 'cover_file_id'
  | 'cover_img_desc'
  | 'video_url'
  | 'video_file_id'
  | 'duration'
  | 'vimeo_full_url'
  | 'thumbnail_url'
  | 'transcript'
  | 'transcript_lines'
  | 'transcript_language'
  | 'transcript_as_captions'
  | 'captions_file_id'
  | 'revision'
  | 'updated_at'
  | 'deleted_at'
  | 'deleted_by'

/** New values of columns that the tables of lectures and videos share. */
export type FilmUpdate = Pick<Updateable<Lectures>, SharedColumn>

/** How lectures and videos differ, for the functions that they share. */
export type FilmKind<State extends FilmState> = {
  kind: FilmKindName
  /** Reads the values of the form and the revision that it sends back with them. */
  read: (ctx: Ctx, uid: string) => Promise<RevisedFilm<State>>
  /** Writes these columns, and the columns of the changed fields that only this kind has. */
  write: (ctx: Ctx, film: LockedFilm, columns: FilmUpdate, changes: Partial<State>) => Promise<void>
  /** Returns what a field that only this kind has is now, as people see it. */
  textOf: (field: Exclude<Field<State>, keyof FilmState>, state: State) => string | boolean
  /** What an earlier revision has to meet before it is saved again. */
  changes: z.ZodTypeAny
  labels: Record<string, string>
  /** Takes out of an earlier state what no longer exists and only this kind has. */
  adapt?: (ctx: Ctx, then: State, now: State) => Promise<{ state: State; leftOut: string[] }>
}
