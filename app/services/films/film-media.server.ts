/**
 * Writes the media of a film: its source, its captions and its transcript. Files are read before the transaction
 * (`prepareFilmMedia`); in it, the row of the film gets the columns (`mediaColumns`), and `recordFilmMedia` writes the
 * rest.
 */
import { sql } from 'kysely'
import { brands } from '~/config/brands.ts'
import { captionsField, type FilmMedia } from '~/forms/film-media.ts'
import { readFilmFileAddress, vimeoPage } from '~/lib/film-address.ts'
import { cutText } from '~/lib/text.ts'
import { faultsInWords, readTranscriptFile, type TranscriptLine } from '~/lib/transcript.ts'
import { type Cue, faultInWords, readCues, transcriptOf } from '~/lib/webvtt.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { Invalid } from '../errors.ts'
import { readStoredCues, readStoredText } from '../storage/captions.server.ts'
import { fileIdOf, lockStoredFiles } from '../storage/files.server.ts'
import { readFilm } from '../storage/film-file.server.ts'
import { storage } from '../storage/storage.server.ts'
import { getUploadedFile, getUploadedFiles } from '../uploads/uploads.server.ts'
import { type FilmRef, findFilmMedia, type MediaState } from './media-state.server.ts'
import { queueVimeoLookUp } from './vimeo.server.ts'

type Source = {
  videoUrl: string
  fileUid: string | null
  duration: number | null
  vimeoFullUrl: string | null
  thumbnailUrl: string | null
  /** It is that of the stored film. */
  isKept: boolean
  /** The host of the film has to be asked about it. */
  isToLookUp: boolean
}

export type PreparedMedia = {
  source: Source
  captions: { language: string; fileUid: string }[]
  /** Those of the first captions. */
  cues: Cue[] | null
  lines: TranscriptLine[]
  language: string
  isCaptions: boolean
  /** The words of the transcript, for search. */
  words: string | null
}

/** The longest transcript that its column holds. */
const mostCharacters = 500_000

/**
 * Reads and checks the files of a film that is created or saved, for staff. Storage may be far away, so call it without
 * holding locks. A file that the film has already may stay, whoever uploaded it; with `isFromHistory`, the film had all
 * these files before.
 */
export async function prepareFilmMedia(
  ctx: Ctx,
  { media, duration, isFromHistory, ...ref }: FilmRef & Given,
): Promise<PreparedMedia> {
  requireStaff(ctx, 'write')
  const before = await findFilmMedia(ctx, ref)
  const how = { before, isFromHistory }
  const source = await prepareSource(ctx, ref, media, how)
  const { captions, cues } = await prepareCaptions(ctx, media, how)
  const lines = await prepareTranscript(ctx, media)
  const text = lines.length > 0 ? transcriptOf(lines) : cues && transcriptOf(cues)
  return {
    source: { ...source, duration: source.duration ?? duration ?? null },
    captions,
    cues,
    lines,
    language: media.transcriptLanguage,
    isCaptions: media.transcriptAsCaptions && lines.length > 0,
    words: text && cutText(text, mostCharacters),
  }
}

type Given = { media: FilmMedia; duration?: number | null; isFromHistory?: boolean }
type How = { before: MediaState | null; isFromHistory?: boolean }

async function prepareSource(
  ctx: Ctx,
  ref: FilmRef,
  media: FilmMedia,
  { before, isFromHistory }: How,
): Promise<Source> {
  const kept = before && {
    duration: before.duration,
    vimeoFullUrl: before.vimeoFullUrl,
    thumbnailUrl: before.thumbnailUrl,
    isKept: true,
    isToLookUp: false,
  }
  const unknown = { duration: null, vimeoFullUrl: null, thumbnailUrl: null, isKept: false }
  if (media.videoFile !== null) {
    if (kept && before.videoFile?.name === media.videoFile) {
      return { videoUrl: '', fileUid: before.videoFile.uid, ...kept }
    }
    const { uid } = await getUploadedFile(ctx, {
      name: media.videoFile,
      kind: 'video',
      field: 'videoFile',
      isFromHistory,
    })
    const seconds = (await readFilm(await storage().localPath(uid)))?.seconds ?? null
    return {
      videoUrl: '',
      fileUid: uid,
      ...unknown,
      duration: seconds && Math.max(1, Math.round(seconds)),
      isToLookUp: false,
    }
  }
  const { videoUrl } = media
  // A program that reads the address of an uploaded film sends the same one back.
  const own = readFilmFileAddress(videoUrl.replace(ctx.site.baseUrl, ''))
  if (own) {
    const isThis = own.kind === ref.kind && own.uid === ref.uid.toLowerCase()
    if (kept && isThis && before.videoFile) return { videoUrl: '', fileUid: before.videoFile.uid, ...kept }
    const sentence = 'This is the address of an uploaded file. Please upload the file here, too.'
    throw new Invalid(sentence, { videoUrl: sentence })
  }
  if (kept && before.videoUrl === videoUrl) return { videoUrl, fileUid: null, ...kept }
  const fault = isFromHistory ? null : faultOfAddress(ctx, videoUrl)
  if (fault) throw new Invalid(fault, { videoUrl: fault })
  const vimeoFullUrl = vimeoPage(videoUrl)
  return { videoUrl, fileUid: null, ...unknown, vimeoFullUrl, isToLookUp: vimeoFullUrl !== null }
}

/** A draft opens a film of this installation to its author, so it must be one of the site. */
function faultOfAddress(ctx: Ctx, videoUrl: string): string | null {
  if (videoUrl.startsWith('http:')) return 'Please enter an address that begins with https://.'
  const isOfOther = Object.entries(brands).some(
    ([key, { palette }]) => key !== ctx.site.key && new RegExp(`^/films/.*-${palette}\\.\\w+$`, 'i').test(videoUrl),
  )
  return isOfOther ? 'There is no such film on this site.' : null
}

/** `cues` are those of the first captions, from which the transcript is made. */
async function prepareCaptions(
  ctx: Ctx,
  media: FilmMedia,
  { before, isFromHistory }: How,
): Promise<{ captions: PreparedMedia['captions']; cues: Cue[] | null }> {
  const uids = new Map(before?.captions.map(({ file }) => [file.name, file.uid]))
  const added = media.captions.flatMap(({ language, file }) =>
    uids.has(file) ? [] : [{ name: file, field: captionsField(language) }],
  )
  const uploads = await getUploadedFiles(ctx, { kind: 'captions', files: added, isFromHistory })
  const read = new Map<string, Cue[]>()
  for (const [index, { uid, name }] of uploads.entries()) {
    const field = added[index]?.field ?? 'captions'
    uids.set(name, uid)
    read.set(uid, await readCaptions(uid, field))
  }
  const captions = media.captions.map(({ language, file }) => ({ language, fileUid: uids.get(file) ?? '' }))
  const first = captions[0]?.fileUid
  if (first === undefined) return { captions, cues: null }
  return { captions, cues: read.get(first) ?? (await readStoredCues(ctx, { uid: first, storageKey: first })) }
}

/** Reads captions that are new here. They were checked when they were uploaded, perhaps by an older build. */
async function readCaptions(fileUid: string, field: string): Promise<Cue[]> {
  const result = readCues(await readStoredText(fileUid))
  if ('cues' in result) return result.cues
  const sentence = faultInWords(result.fault)
  throw new Invalid(sentence, { [field]: sentence })
}

/** An uploaded transcript is read here and not kept, since its text can be changed in the form. */
export async function prepareTranscript(
  ctx: Ctx,
  media: Pick<FilmMedia, 'transcript' | 'transcriptFile'>,
): Promise<TranscriptLine[]> {
  if (media.transcriptFile === null) return media.transcript
  const field = 'transcriptFile'
  const { uid, originalFileName } = await getUploadedFile(ctx, {
    name: media.transcriptFile,
    kind: 'transcript',
    field,
  })
  const { lines, faults } = readTranscriptFile(originalFileName, await readStoredText(uid))
  if (faults.length === 0 && lines.length > 0) return lines
  const sentence = faults.length > 0 ? faultsInWords(faults) : 'There is no text in this file.'
  throw new Invalid(sentence, { [field]: sentence })
}

/** The columns that the tables of lectures and videos share. */
export function mediaColumns(ctx: Ctx, { source, lines, language, isCaptions, words }: PreparedMedia) {
  const hasLines = lines.length > 0
  return {
    video_url: source.videoUrl,
    video_file_id: fileIdOf(ctx, source.fileUid),
    duration: source.duration,
    vimeo_full_url: source.vimeoFullUrl,
    thumbnail_url: source.thumbnailUrl,
    transcript: words,
    transcript_lines: hasLines ? JSON.stringify(lines) : null,
    transcript_language: hasLines ? language : null,
    transcript_as_captions: isCaptions,
    // Replaced by film_captions.
    captions_file_id: null,
  }
}

/** The same for a film that is changed. What the host of a kept source has said meanwhile stays. */
export function changedMediaColumns(ctx: Ctx, prepared: PreparedMedia): Partial<ReturnType<typeof mediaColumns>> {
  const columns = mediaColumns(ctx, prepared)
  if (!prepared.source.isKept) return columns
  const { video_url, video_file_id, duration, vimeo_full_url, thumbnail_url, ...words } = columns
  return words
}

/**
 * Writes what has no column, in the transaction of the film and after its row, and keeps the files from the sweep. Asks
 * the host of a new film about it.
 */
export async function recordFilmMedia(
  ctx: Ctx,
  { kind, uid, prepared }: FilmRef & { prepared: PreparedMedia },
): Promise<void> {
  requireStaff(ctx, 'write')
  const { source, captions } = prepared
  const fileUids = captions.map(({ fileUid }) => fileUid)
  await lockStoredFiles(ctx, source.fileUid === null ? fileUids : [source.fileUid, ...fileUids])
  const column = sql.ref(`${kind}_id`)
  const film = sql`(select id from ${sql.table(`${kind}s`)} where site_id = ${ctx.site.id} and uid = ${uid})`
  await sql`delete from film_captions where ${column} = ${film}`.execute(ctx.db)
  if (captions.length > 0) {
    const languages = captions.map(({ language }) => language)
    await sql`
      insert into film_captions (site_id, ${column}, language, file_id, position)
      select ${ctx.site.id}, ${film}, own.language, file.id, own.position
      from unnest(${languages}::text[], ${fileUids}::uuid[]) with ordinality as own (language, file_uid, position)
      join stored_files file on file.site_id = ${ctx.site.id} and file.uid = own.file_uid`.execute(ctx.db)
  }
  if (source.isToLookUp) await queueVimeoLookUp(ctx, { kind, uid })
}
