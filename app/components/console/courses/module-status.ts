import type { BuilderModule } from './view.ts'

/** The status of a module and the groups that can open it, in one line. */
export function moduleInWords({ status, isBehind, plans }: BuilderModule): string {
  const words =
    status === 'draft' ? 'Draft, not visible to learners yet' : isBehind ? 'Published, newer draft' : 'Published'
  return [words, plans.length > 0 ? plans.join(', ') : 'No groups'].join(' · ')
}
