/**
 * The media of lectures and videos, as their forms send them: the film, its captions in several languages, and its
 * transcript. Forms send a field for each language; programs send lists.
 */
import { z } from 'zod'
import { captionLanguages, isCaptionLanguage, languageName, usualLanguage } from '~/lib/caption-languages.ts'
import { readFilmAddress } from '~/lib/film-address.ts'
import { faultsInWords, readTranscript, transcriptLimits } from '~/lib/transcript.ts'
import { emptyAsNull, fileNameField, tickOr } from './optional-fields.ts'
import { textField } from './text.ts'
import type { UploadKind } from './uploads.ts'

export const videoUrlLimit = 500

const videoUrlRequired = 'Video URL is required'
const videoFileRequired = 'Please upload a video file'

/** The field with the captions in a language. */
export function captionsField(language: string): string {
  return `captions-${language}`
}

/** What the fields with files hold, for `withForm`. */
export const filmMediaFiles: Record<string, UploadKind> = {
  videoFile: 'video',
  transcriptFile: 'transcript',
  captionsNew: 'captions',
  ...Object.fromEntries(captionLanguages.map(({ code }) => [captionsField(code), 'captions' as const])),
}

const languageField = z.string().refine(isCaptionLanguage, 'Please choose a language from the list')

export const filmMediaFields = {
  /** Accepts an embed code and keeps the address in it. Empty if the film is an uploaded file. */
  videoUrl: z.preprocess(
    (value) => value ?? '',
    textField({ max: videoUrlLimit }).transform((value, issues) => {
      const film = value === '' ? null : readFilmAddress(value)
      // An address is longer with its characters escaped.
      if (film && film.address.length <= videoUrlLimit) return film.address
      const message = film ? `At most ${videoUrlLimit} characters` : 'This is not the address of a video'
      if (value !== '') issues.addIssue({ code: 'custom', message })
      return ''
    }),
  ),
  /** The stored name of an uploaded film. */
  videoFile: fileNameField,
  /** The captions that a player shows first come first. A single name stands for English captions. */
  captions: z.preprocess(
    (value) => {
      if (value === undefined || value === null || value === '') return []
      return typeof value === 'string' ? [{ language: usualLanguage, file: value }] : value
    },
    z
      .array(z.object({ language: languageField, file: textField({ max: 300, required: 'Please choose a file.' }) }))
      .max(captionLanguages.length, 'There are too many captions')
      .refine(
        (list) => new Set(list.map(({ language }) => language)).size === list.length,
        'There can be only one file of captions for each language',
      ),
  ),
  /** Lines with times. Empty if the transcript is made from the captions. */
  transcript: z.preprocess(
    (value) => value ?? '',
    z
      .string({ invalid_type_error: 'This must be text' })
      .max(transcriptLimits.characters, `At most ${transcriptLimits.characters.toLocaleString('en')} characters`)
      .transform((text, issues) => {
        const { lines, faults } = readTranscript(text.normalize('NFC'))
        const message = faults.length > 0 ? faultsInWords(faults) : null
        if (message) issues.addIssue({ code: 'custom', message })
        return lines
      })
      .refine(
        (lines) => lines.every(({ text }) => !/[\p{Cc}\p{Cs}]/u.test(text)),
        'This text holds characters that cannot be stored',
      ),
  ),
  /** An uploaded transcript, which replaces the written one. */
  transcriptFile: fileNameField,
  transcriptLanguage: z.preprocess((value) => emptyAsNull(value) ?? usualLanguage, languageField),
  transcriptAsCaptions: tickOr(false),
}

export type FilmMedia = z.output<z.ZodObject<typeof filmMediaFields>>

/**
 * Adds what concerns several fields of the media to the schema of a film. These rules are checked with the fields and not
 * after them, so that a form shows all its faults at once.
 */
export function withFilmMedia<Schema extends z.ZodTypeAny>(
  schema: Schema,
): z.ZodEffects<Schema, z.output<Schema>, z.input<Schema>> {
  const preprocessed = z.preprocess((sent, issues) => {
    if (typeof sent !== 'object' || sent === null) return sent
    const values = collectCaptions(chooseSource(sent as Values), issues)
    checkSource(sent as Values, values, issues)
    checkGeneratedCaptions(values, issues)
    return values
  }, schema)
  return preprocessed as unknown as z.ZodEffects<Schema, z.output<Schema>, z.input<Schema>>
}

/**
 * The same for the changes of a program, which sends only what it changes. A new source takes the place of the other
 * kind of source.
 */
export function withChangedMedia<Schema extends z.ZodTypeAny>(
  schema: Schema,
): z.ZodEffects<Schema, z.output<Schema>, z.input<Schema>> {
  const preprocessed = z.preprocess((sent, issues) => {
    if (typeof sent !== 'object' || sent === null) return sent
    const { videoUrl, videoFile, ...values } = sent as Values
    if (!isBlank(videoUrl) && !isBlank(videoFile)) {
      issues.addIssue({ code: 'custom', path: ['videoFile'], message: eitherSource })
    }
    if (!isBlank(videoFile)) return { ...values, videoUrl: '', videoFile }
    if (!isBlank(videoUrl)) return { ...values, videoUrl, videoFile: null }
    if (videoUrl !== undefined) issues.addIssue({ code: 'custom', path: ['videoUrl'], message: videoUrlRequired })
    return values
  }, schema)
  return preprocessed as unknown as z.ZodEffects<Schema, z.output<Schema>, z.input<Schema>>
}

type Values = Record<string, unknown>

const eitherSource = 'A film has either an address or a file'

const isBlank = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && !value.trim())

/** Of an address and a file, keeps the one that was chosen. Programs send only one of them. */
function chooseSource(values: Values): Values {
  if (isFileChosen(values)) return { ...values, videoUrl: '' }
  return { ...values, videoFile: null }
}

function isFileChosen({ videoSource, videoUrl, videoFile }: Values): boolean {
  if (videoSource === 'file') return true
  return videoSource !== 'address' && isBlank(videoUrl) && !isBlank(videoFile)
}

function checkSource(sent: Values, values: Values, issues: z.RefinementCtx): void {
  if (isBlank(sent.videoSource) && !isBlank(sent.videoUrl) && !isBlank(sent.videoFile)) {
    issues.addIssue({ code: 'custom', path: ['videoFile'], message: eitherSource })
  }
  if (sent.videoSource === 'file' && isBlank(values.videoFile)) {
    issues.addIssue({ code: 'custom', path: ['videoFile'], message: videoFileRequired })
  } else if (isBlank(values.videoFile) && isBlank(values.videoUrl)) {
    issues.addIssue({ code: 'custom', path: ['videoUrl'], message: videoUrlRequired })
  }
}

/** Makes a list of the fields of all languages, with the one first that was chosen to be. */
function collectCaptions(values: Values, issues: z.RefinementCtx): Values {
  const isForm = Object.keys(values).some((name) => name.startsWith('captions') && name !== 'captions')
  if (!isForm) return values
  const list = captionLanguages.flatMap(({ code }) => {
    const file = values[captionsField(code)]
    return isBlank(file) ? [] : [{ language: code as string, file }]
  })
  if (!isBlank(values.captionsNew)) {
    const language = values.captionsNewLanguage
    if (!isCaptionLanguage(language)) {
      const message = 'Please choose the language of these captions'
      issues.addIssue({ code: 'custom', path: ['captionsNewLanguage'], message })
    } else if (list.some((one) => one.language === language)) {
      const message = `There are captions in ${languageName(language)} already. Replace that file, or choose another language.`
      issues.addIssue({ code: 'custom', path: ['captionsNewLanguage'], message })
    } else list.push({ language, file: values.captionsNew })
  }
  const first = list.filter(({ language }) => language === values.captionsFirst)
  return { ...values, captions: [...first, ...list.filter((one) => !first.includes(one))] }
}

function checkGeneratedCaptions(values: Values, issues: z.RefinementCtx): void {
  const { captions, transcriptAsCaptions } = values
  if (transcriptAsCaptions !== true && transcriptAsCaptions !== 'on') return
  const language = isBlank(values.transcriptLanguage) ? usualLanguage : values.transcriptLanguage
  const hasFile = Array.isArray(captions)
    ? captions.some((one) => (one as { language?: unknown } | null)?.language === language)
    : !isBlank(captions) && language === usualLanguage
  if (hasFile)
    issues.addIssue({ code: 'custom', path: ['transcriptAsCaptions'], message: captionsTwice(String(language)) })
}

/** What is said if the transcript is to be captions in a language that has a file of captions. */
export function captionsTwice(language: string): string {
  const name = languageName(language)
  return `There is a file of captions in ${name} already. Remove it, or do not use the transcript as captions.`
}

/** Reads the fields of a form that concern the media, as input for these schemas. */
export function filmMediaInput(form: { get(name: string): unknown; keys(): Iterable<string> }): Values {
  const isOfMedia = (name: string) =>
    name in filmMediaFields || /^(videoSource|captions\w*|captions-[\w-]+)$/.test(name)
  const names = [...new Set(form.keys())].filter((name) => isOfMedia(name) && !/-(fileName|fileSize)$/.test(name))
  return Object.fromEntries(names.map((name) => [name, form.get(name)]))
}

/** The media of a film alone, for forms that have nothing else. */
export const filmMediaForm = withFilmMedia(z.object(filmMediaFields))
