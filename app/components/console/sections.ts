import { isShownTo, type NavigationRule, type NavigationViewer } from '../layout/navigation.ts'
import type { IconName } from '../ui/icon.tsx'

/** The console's areas: ids are in addresses, titles in document titles, labels in headings. */
export type ConsoleSection = NavigationRule & {
  id: string
  label: string
  title: string
  icon: IconName
  /** What is not built yet is shown and cannot be opened. */
  isBuilt: boolean
}

const staff = ['admins', 'authors']

/** A section is for admins unless it says otherwise; `groups: undefined` is for everybody who may open the console. */
const section = (id: string, label: string, title: string, icon: IconName, more: Partial<ConsoleSection> = {}) => ({
  id,
  label,
  title,
  icon,
  groups: ['admins'],
  isBuilt: false,
  ...more,
})

export const consoleGroups: { title: string; sections: ConsoleSection[] }[] = [
  {
    title: 'Reporting & Communication',
    sections: [
      section('reports', 'Reports', 'Reports', 'report'),
      section('messages', 'Manage Messages', 'Messages', 'message', { flag: 'ANNOUNCEMENTS' }),
    ],
  },
  {
    title: 'Learning Content',
    sections: [
      section('courses', 'Manage Courses', 'Courses', 'path', { groups: staff }),
      section('modules', 'Manage Modules', 'Modules', 'stack', { groups: staff, isBuilt: true }),
      section('lectures', 'Manage Lectures', 'Lectures', 'mic', { groups: staff }),
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
      section('glossary', 'Manage Glossary', 'Glossary', 'book', { flag: 'GLOSSARY' }),
    ],
  },
]

export const defaultSection = 'modules'

export function findSection(id: string | undefined): ConsoleSection | undefined {
  return consoleGroups.flatMap((group) => group.sections).find((entry) => entry.id === id)
}

/** The groups of sections that somebody sees, without those that have none left (C-014, A-015, C-016, A-201). */
export function groupsFor(viewer: NavigationViewer): typeof consoleGroups {
  return consoleGroups
    .map((group) => ({ ...group, sections: group.sections.filter((section) => isShownTo(section, viewer)) }))
    .filter((group) => group.sections.length > 0)
}
