import type { Brand } from './brands.ts'

type Colors = {
  ink: string
  muted: string
  paper: string
  line: string
  accent: string
  onAccent: string
  deep: string
}

/** For mails, which have no style sheet: the same values as in styles/tokens.css. */
export const mailColors: Record<Brand['palette'], Colors> = {
  titrate: {
    ink: '#10292c',
    muted: '#4b6163',
    paper: '#f6f9f8',
    line: '#d3dfde',
    accent: '#0b6b69',
    onAccent: '#ffffff',
    deep: '#0a3034',
  },
  ns: {
    ink: '#131d36',
    muted: '#4c5770',
    paper: '#f7f8fb',
    line: '#d6dbe7',
    accent: '#1f3f80',
    onAccent: '#ffffff',
    deep: '#111d40',
  },
}
