import type { Cover, Phase } from '../modules/view.ts'

/** A lecture or a video. */
export type FilmView = {
  kind: 'lecture' | 'video'
  uid: string
  name: string
  description: string
  /** The process step of a lecture, or the category of a video. */
  eyebrow: string | null
  /** The name of the speaker; empty if there is none. */
  presenter: string
  phase: Phase | null
  cover: Cover | null
  /** In seconds; null if unknown. */
  duration: number | null
  isComingSoon: boolean
  isOpenable: boolean
  /** Null before the first play. */
  percent: number | null
  positionSeconds: number
  isSaved: boolean
}

export function filmAddress({ kind, uid }: Pick<FilmView, 'kind' | 'uid'>): string {
  return `/${kind}s/${uid}/`
}

export function watchLabel({ percent }: Pick<FilmView, 'percent'>): 'Watch' | 'Resume' | 'Watch again' {
  if (percent === 100) return 'Watch again'
  return percent ? 'Resume' : 'Watch'
}
