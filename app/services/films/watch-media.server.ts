/** The media of a film as people watch them. Everything is for those who may open the film, and staff for drafts. */
import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { languageName } from '~/lib/caption-languages.ts'
import { captionsAddress, type FilmKind } from '~/lib/film-address.ts'
import { cuesOf, type TranscriptLine } from '~/lib/transcript.ts'
import { isUid } from '~/lib/uid.ts'
import { writeCues } from '~/lib/webvtt.ts'
import { isPlayable } from '../access/access.server.ts'
import type { Ctx } from '../context.ts'
import { NotFound } from '../errors.ts'
import { type CaptionsFile, readStoredCues } from '../storage/captions.server.ts'
import type { FilmRef } from './media-state.server.ts'

/** Captions of the player. The first are shown by default. */
export type Track = { language: string; label: string; address: string }

export type Transcript = {
  language: string
  lines: TranscriptLine[]
  /** The languages in which there is a transcript; this one is among them. */
  languages: { language: string; label: string }[]
}

type Words = {
  files: (CaptionsFile & { language: string })[]
  lines: TranscriptLine[] | null
  language: string | null
  isCaptions: boolean
}

/**
 * Returns the captions of a film, and its transcript in a language. A language that it does not have is answered with the
 * first. Both are empty for a film without any.
 */
export async function readFilmWords(
  ctx: Ctx,
  film: FilmRef & { language?: string | null },
): Promise<{ tracks: Track[]; transcript: Transcript }> {
  const words = await findWords(ctx, film)
  const toTrack = (language: string) => ({
    language,
    label: languageName(language),
    address: captionsAddress(film.kind, film.uid, language),
  })
  const own = words.lines ? words.language : null
  const languages = [own, ...words.files.map(({ language }) => language)].filter((one) => one !== null)
  const choices = [...new Set(languages)]
  const language = choices.find((one) => one === film.language) ?? choices[0] ?? ''
  const file = words.files.find((one) => one.language === language)
  return {
    tracks: captionLanguagesOf(words).map(toTrack),
    transcript: {
      language,
      lines:
        own === language && words.lines
          ? words.lines
          : file
            ? (await readStoredCues(ctx, file)).map(({ from, text }) => ({ from, text }))
            : [],
      languages: choices.map((one) => ({ language: one, label: languageName(one) })),
    },
  }
}

/** Captions made from the transcript are in the language of the film, so they come first. */
function captionLanguagesOf({ files, language, isCaptions }: Words): string[] {
  return [...(isCaptions && language !== null ? [language] : []), ...files.map((file) => file.language)]
}

export type CaptionsToServe = { kind: 'file'; file: CaptionsFile } | { kind: 'text'; text: string; hash: string }

/** Returns captions in a language, or those that are shown by default if `language` is null. Throws NotFound. */
export async function getCaptionsToServe(
  ctx: Ctx,
  film: FilmRef & { language: string | null },
): Promise<CaptionsToServe> {
  const words = await findWords(ctx, film)
  const language = film.language ?? captionLanguagesOf(words)[0]
  if (words.isCaptions && words.lines && words.language === language) {
    const text = writeCues(cuesOf(words.lines))
    return { kind: 'text', text, hash: createHash('sha256').update(text).digest('hex').slice(0, 32) }
  }
  const file = words.files.find((one) => one.language === language)
  if (!file) throw new NotFound()
  return { kind: 'file', file }
}

/** Returns the uploaded file of a film. Throws NotFound if it is none. */
export async function getFilmFileToServe(
  ctx: Ctx,
  film: FilmRef,
): Promise<CaptionsFile & { contentType: string; name: string }> {
  if (!isUid(film.uid)) throw new NotFound()
  const table = `${film.kind}s` as const
  const { rows } = await sql<CaptionsFile & { contentType: string; name: string }>`
    select file.uid, file.storage_key as "storageKey", file.size, file.content_type as "contentType", file.name
    from ${sql.table(table)} join stored_files file on file.id = ${sql.ref(`${table}.video_file_id`)}
    where ${sql.ref(`${table}.uid`)} = ${film.uid} and ${isPlayable(ctx, table)}`.execute(ctx.db)
  const [file] = rows
  if (!file) throw new NotFound()
  return file
}

/** SQL for the stored name of a film's uploaded file, null if it has another source. */
export function filmFileNameOf(kind: FilmKind): RawBuilder<string | null> {
  return sql<string | null>`(
    select film_file.name from stored_files film_file where film_file.id = ${sql.ref(`${kind}s.video_file_id`)})`
}

async function findWords(ctx: Ctx, { kind, uid }: FilmRef): Promise<Words> {
  const none = { files: [], lines: null, language: null, isCaptions: false }
  if (!isUid(uid)) return none
  const table = `${kind}s` as const
  const { rows } = await sql<Words>`
    select transcript_lines as lines, transcript_language as language, transcript_as_captions as "isCaptions",
      (select coalesce(jsonb_agg(jsonb_build_object('language', own.language, 'uid', file.uid,
          'storageKey', file.storage_key, 'size', file.size) order by own.position, own.id), '[]')
        from film_captions own join stored_files file on file.id = own.file_id
        where own.${sql.ref(`${kind}_id`)} = ${sql.ref(`${table}.id`)}) as files
    from ${sql.table(table)} where ${sql.ref(`${table}.uid`)} = ${uid} and ${isPlayable(ctx, table)}`.execute(ctx.db)
  return rows[0] ?? none
}
