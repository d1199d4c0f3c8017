import type { ChosenView } from './view.ts'

/** How the recipients add up: "35 chosen and 4 more by audience". Whoever is in both counts as chosen. */
export function sumInWords({ people, total }: Pick<ChosenView, 'people' | 'total'>): string {
  const more = total === people ? 'nobody else' : `${(total - people).toLocaleString('en')} more`
  return `${people.toLocaleString('en')} chosen and ${more} by audience`
}

/** "10 now, 6 of them also chosen". Of several audiences, nobody knows whom they share, so only their sizes are named. */
export function audienceInWords({ people, total, audiences }: ChosenView, size: number): string {
  const both = audiences.length === 1 ? people + size - total : 0
  const now = `${size.toLocaleString('en')} now`
  return both > 0 ? `${now}, ${both.toLocaleString('en')} of them also chosen` : now
}
