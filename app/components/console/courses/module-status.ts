import type { BuilderModule } from './view.ts'

/** The status of a module and the groups that can open it, in one line. */
export function moduleInWords({ plans, ...module }: BuilderModule): string {
  return [statusInWords(module), plans.length > 0 ? plans.join(', ') : 'No groups'].join(' · ')
}

function statusInWords({ status, isBehind, isComingSoon }: Omit<BuilderModule, 'plans'>): string {
  if (isComingSoon) return 'Coming Soon'
  if (status === 'draft') return 'Draft, not visible to learners yet'
  return isBehind ? 'Published, newer draft' : 'Published'
}
