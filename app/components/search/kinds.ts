import type { IconName } from '../ui/icon.tsx'

export type HitKind = 'course' | 'module' | 'video' | 'lecture' | 'glossary'

export const kindLabels: Record<HitKind, { one: string; many: string; icon: IconName }> = {
  course: { one: 'Course', many: 'Courses', icon: 'path' },
  module: { one: 'Module', many: 'Modules', icon: 'stack' },
  video: { one: 'Video', many: 'Videos', icon: 'film' },
  lecture: { one: 'Lecture', many: 'Lectures', icon: 'mic' },
  glossary: { one: 'Glossary term', many: 'Glossary', icon: 'book' },
}

/** Says whether the site shows this kind. Lectures and the glossary can be switched off. */
export function isShown(kind: HitKind, flags: string[]): boolean {
  if (kind === 'lecture') return flags.includes('LECTURES')
  return kind !== 'glossary' || flags.includes('GLOSSARY')
}

export type Suggestion = { title: string; kind: HitKind; address: string }
