/** The media of a film as its authors see them: what its form shows, and what a save compares with. */
import { sql } from 'kysely'
import { usualLanguage } from '~/lib/caption-languages.ts'
import type { FilmKind } from '~/lib/film-address.ts'
import type { TranscriptLine } from '~/lib/transcript.ts'
import { isUid } from '~/lib/uid.ts'
import { isManaged } from '../access/access.server.ts'
import { type Ctx, requireStaff } from '../context.ts'

export type FilmRef = { kind: FilmKind; uid: string }
export type MediaFile = { uid: string; name: string; originalFileName: string; size: number }

export type MediaState = {
  /** Empty if the film is an uploaded file. */
  videoUrl: string
  videoFile: MediaFile | null
  /** In the order of the player; the first is shown by default. */
  captions: { language: string; file: MediaFile }[]
  /** Empty if the transcript is made from the captions. */
  transcript: TranscriptLine[]
  transcriptLanguage: string
  transcriptAsCaptions: boolean
  /** In seconds; null if unknown. */
  duration: number | null
  vimeoFullUrl: string | null
  thumbnailUrl: string | null
}

const file = sql`jsonb_build_object(
  'uid', file.uid, 'name', file.name, 'originalFileName', file.original_file_name, 'size', file.size)`

/** Finds the media of a film, for staff; null if there is no such film. */
export async function findFilmMedia(ctx: Ctx, { kind, uid }: FilmRef): Promise<MediaState | null> {
  requireStaff(ctx)
  if (!isUid(uid)) return null
  const table = sql.table(`${kind}s`)
  const { rows } = await sql<Omit<MediaState, 'transcript' | 'transcriptLanguage'> & Written>`
    select video_url as "videoUrl", duration, vimeo_full_url as "vimeoFullUrl", thumbnail_url as "thumbnailUrl",
      (select ${file} from stored_files file where file.id = ${table}.video_file_id) as "videoFile",
      (select coalesce(jsonb_agg(jsonb_build_object('language', own.language, 'file', ${file})
          order by own.position, own.id), '[]')
        from film_captions own join stored_files file on file.id = own.file_id
        where own.${sql.ref(`${kind}_id`)} = ${table}.id) as captions,
      transcript_lines as lines, transcript_language as language, transcript_as_captions as "transcriptAsCaptions"
    from ${table} where uid = ${uid} and ${isManaged(ctx, `${kind}s`)}`.execute(ctx.db)
  const [row] = rows
  if (!row) return null
  const { lines, language, ...state } = row
  return { ...state, transcript: lines ?? [], transcriptLanguage: language ?? usualLanguage }
}

type Written = { lines: TranscriptLine[] | null; language: string | null }
