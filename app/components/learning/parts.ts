import type { Shell } from '../layout/shell.ts'
import type { IconName } from '../ui/icon.tsx'

/** A part of My Learning, which can also be opened by its hash (L-026). */
type LearningPart = { to: string; label: string; hash: string; icon?: IconName }

/** Returns the parts with content to learn, in the order of the side menu. */
export function studyParts({ brand }: Pick<Shell, 'brand'>): LearningPart[] {
  return [
    { to: '/my-learning/assigned/', label: brand.assignedLabel, hash: '#assigned' },
    { to: '/my-learning/saved/', label: 'Saved', hash: '#saved' },
    { to: '/my-learning/in-progress/', label: 'In Progress', hash: '#in-progress' },
    { to: '/my-learning/completed/', label: 'Completed', hash: '#completed' },
  ]
}

/** Returns the personal parts. My Messages is among them if the site has messages. */
export function personalParts({ flags }: Pick<Shell, 'flags'>): LearningPart[] {
  return [
    ...(flags.includes('ANNOUNCEMENTS')
      ? [{ to: '/my-learning/my-messages/', label: 'My Messages', hash: '#my-messages', icon: 'message' as const }]
      : []),
    { to: '/my-learning/my-profile/', label: 'My Profile', hash: '#my-profile', icon: 'person' },
    { to: '/my-learning/my-account/', label: 'My Account', hash: '#my-account', icon: 'lock' },
  ]
}

export function learningParts(shell: Pick<Shell, 'brand' | 'flags'>): LearningPart[] {
  return [...studyParts(shell), ...personalParts(shell)]
}
