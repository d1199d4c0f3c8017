/** The kinds of uploads and their rules. Browser and server use the same table. */
export type UploadKind =
  | 'cmi5_zip'
  | 'cover_img'
  | 'video'
  | 'captions'
  | 'transcript'
  | 'csv'
  | 'attachment'
  | 'announcement_img'

export type UploadRule = { maxBytes: number; extensions: readonly string[] }
type UploadTexts = { invalidType: string; tooLarge: string }

/** A file of exactly the limit passes. */
export const fileTooLarge = 'File too large'
export const invalidFileType = 'Invalid file type'
/** A few kinds have sentences of their own (C-196, C-198). */
const ownTexts: Partial<Record<UploadKind, UploadTexts>> = {
  csv: { invalidType: 'Please select a CSV file', tooLarge: 'Maximum file size is 1MB' },
}

export function uploadTexts(kind: UploadKind): UploadTexts {
  return ownTexts[kind] ?? { invalidType: invalidFileType, tooLarge: fileTooLarge }
}

export const wrongPicture =
  'This file is not a picture, or not of the type in its name. Please export it again, or choose another one.'
export const damagedPicture =
  'This picture is damaged, or too large to be read. Please export it again, or choose another one.'
export const wrongFilm =
  'This file is not a film, or not of the type in its name. Please export it as MP4 or WebM, or choose another one.'
export const wrongText =
  'This file holds characters that cannot be stored, or is not of the type in its name. Please export it again, or choose another one.'

const megabyte = 1024 * 1024
const pictures = ['.png', '.jpg', '.jpeg'] as const

export const uploadRules: Record<UploadKind, UploadRule> = {
  // A bare cmi5.xml is a package too; the dialog offers .zip only.
  cmi5_zip: { maxBytes: 50 * megabyte, extensions: ['.zip', '.xml'] },
  cover_img: { maxBytes: megabyte, extensions: pictures },
  // The server's limit is VIDEO_MAX_MB, which pages get with their data; this is its default.
  video: { maxBytes: 1024 * megabyte, extensions: ['.mp4', '.webm'] },
  captions: { maxBytes: megabyte, extensions: ['.vtt'] },
  transcript: { maxBytes: megabyte, extensions: ['.vtt', '.txt'] },
  csv: { maxBytes: megabyte, extensions: ['.csv'] },
  attachment: { maxBytes: megabyte, extensions: [...pictures, '.gif', '.webp', '.txt', '.pdf', '.zip'] },
  announcement_img: { maxBytes: megabyte, extensions: pictures },
}

/** ".png, .jpg, or .jpeg" */
export function extensionsInWords(extensions: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(extensions)
}

export function isUploadKind(value: unknown): value is UploadKind {
  return typeof value === 'string' && Object.hasOwn(uploadRules, value)
}

/** Returns the extension in lower case with its dot; '' without one. */
export function extensionOf(fileName: string): string {
  return /\.[a-z0-9]{1,8}$/i.exec(fileName)?.[0].toLowerCase() ?? ''
}

/** Returns the message beside the field, or null. */
export function fileProblem(
  kind: UploadKind,
  file: { name: string; size?: number },
  rule: UploadRule = uploadRules[kind],
): string | null {
  const { invalidType, tooLarge } = uploadTexts(kind)
  if (!rule.extensions.includes(extensionOf(file.name))) return invalidType
  if ((file.size ?? 0) > rule.maxBytes) return tooLarge
  return null
}
