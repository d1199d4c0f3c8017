import type { IconName } from '../ui/icon.tsx'

export type HitKind = 'course' | 'module' | 'video' | 'lecture' | 'glossary'

export const kindLabels: Record<HitKind, { one: string; many: string; icon: IconName }> = {
  course: { one: 'Course', many: 'Courses', icon: 'path' },
  module: { one: 'Module', many: 'Modules', icon: 'stack' },
  video: { one: 'Video', many: 'Videos', icon: 'film' },
  lecture: { one: 'Lecture', many: 'Lectures', icon: 'mic' },
  glossary: { one: 'Glossary term', many: 'Glossary', icon: 'book' },
}

export type Suggestion = { title: string; kind: HitKind; address: string }
