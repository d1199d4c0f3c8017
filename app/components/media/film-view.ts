import type { FilmView } from '~/lib/learner-views.ts'

export function filmAddress({ kind, uid }: Pick<FilmView, 'kind' | 'uid'>): string {
  return `/${kind}s/${uid}/`
}

export function watchLabel({ percent }: Pick<FilmView, 'percent'>): 'Watch' | 'Resume' | 'Watch again' {
  if (percent === 100) return 'Watch again'
  return percent ? 'Resume' : 'Watch'
}
