import type { IconName } from '../ui/icon.tsx'

/** The console's areas (spec, authoring and administration): ids are in addresses, titles in document titles, labels in headings. */
export type ConsoleSection = {
  id: string
  label: string
  title: string
  icon: IconName
  /** Authors see courses, modules and lectures; everything else is for admins. */
  isForAuthors: boolean
  /** What is not built yet is shown and cannot be opened. */
  isBuilt: boolean
}

const section = (id: string, label: string, title: string, icon: IconName, more: Partial<ConsoleSection> = {}) => ({
  id,
  label,
  title,
  icon,
  isForAuthors: false,
  isBuilt: false,
  ...more,
})

export const consoleGroups: { title: string; sections: ConsoleSection[] }[] = [
  {
    title: 'Reporting & Communication',
    sections: [
      section('reports', 'Reports', 'Reports', 'report'),
      section('messages', 'Manage Messages', 'Messages', 'message'),
    ],
  },
  {
    title: 'Learning Content',
    sections: [
      section('courses', 'Manage Courses', 'Courses', 'path', { isForAuthors: true }),
      section('modules', 'Manage Modules', 'Modules', 'stack', { isForAuthors: true, isBuilt: true }),
      section('lectures', 'Manage Lectures', 'Lectures', 'mic', { isForAuthors: true }),
      section('tags', 'Manage Tags', 'Tags', 'tag'),
    ],
  },
  {
    title: 'LMS Users',
    sections: [
      section('users', 'Manage Users', 'Users', 'people'),
      section('institutions', 'Manage Institutions', 'Institutions', 'building'),
    ],
  },
  {
    title: 'Page Content',
    sections: [
      section('courses-page', 'Manage Courses Page', 'Courses Page Manager', 'list'),
      section('modules-page', 'Manage Modules Page', 'Modules Page Manager', 'grip'),
      section('glossary', 'Manage Glossary', 'Glossary', 'book'),
    ],
  },
]

export const defaultSection = 'modules'

export function findSection(id: string | undefined): ConsoleSection | undefined {
  return consoleGroups.flatMap((group) => group.sections).find((entry) => entry.id === id)
}

/** Authors meet only what they may open. */
export function groupsFor(viewer: { isAdmin: boolean } | null): typeof consoleGroups {
  if (viewer?.isAdmin) return consoleGroups
  return consoleGroups
    .map((group) => ({ ...group, sections: group.sections.filter((entry) => entry.isForAuthors) }))
    .filter((group) => group.sections.length > 0)
}
