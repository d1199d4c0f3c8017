/** The languages that captions and transcripts can have: their BCP 47 codes, and the names that people choose by. */
export const captionLanguages = [
  { code: 'en', name: 'English' },
  { code: 'ar', name: 'Arabic' },
  { code: 'bn', name: 'Bengali' },
  { code: 'zh-Hans', name: 'Chinese (simplified)' },
  { code: 'zh-Hant', name: 'Chinese (traditional)' },
  { code: 'cs', name: 'Czech' },
  { code: 'da', name: 'Danish' },
  { code: 'nl', name: 'Dutch' },
  { code: 'fi', name: 'Finnish' },
  { code: 'fr', name: 'French' },
  { code: 'de', name: 'German' },
  { code: 'el', name: 'Greek' },
  { code: 'he', name: 'Hebrew' },
  { code: 'hi', name: 'Hindi' },
  { code: 'hu', name: 'Hungarian' },
  { code: 'id', name: 'Indonesian' },
  { code: 'it', name: 'Italian' },
  { code: 'ja', name: 'Japanese' },
  { code: 'ko', name: 'Korean' },
  { code: 'nb', name: 'Norwegian' },
  { code: 'pl', name: 'Polish' },
  { code: 'pt', name: 'Portuguese' },
  { code: 'ro', name: 'Romanian' },
  { code: 'ru', name: 'Russian' },
  { code: 'es', name: 'Spanish' },
  { code: 'sv', name: 'Swedish' },
  { code: 'th', name: 'Thai' },
  { code: 'tr', name: 'Turkish' },
  { code: 'uk', name: 'Ukrainian' },
  { code: 'vi', name: 'Vietnamese' },
] as const

export type CaptionLanguage = (typeof captionLanguages)[number]['code']

/** The language of captions that came without one. */
export const usualLanguage: CaptionLanguage = 'en'

export function isCaptionLanguage(code: unknown): code is CaptionLanguage {
  return captionLanguages.some((language) => language.code === code)
}

/** The name of a language; the code itself if it is none of ours. */
export function languageName(code: string): string {
  return captionLanguages.find((language) => language.code === code)?.name ?? code
}
