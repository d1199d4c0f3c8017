import { isShownTo, type NavigationRule, type NavigationViewer } from '../layout/navigation.ts'
import type { ConsoleIconName } from './console-icon.tsx'

/**
 * A section of the console. The id is in addresses, the label in the navigation, the title in document titles.
 */
export type ConsoleSection = NavigationRule & {
  id: string
  label: string
  title: string
  icon: ConsoleIconName
  /** False for a section that is not built yet. The navigation shows it, but nobody can open it. */
  isBuilt: boolean
}

const staff = ['admins', 'authors']

/**
 * Makes a section for admins, unless `more` has other groups. `groups: undefined` means everybody who may open the
 * console.
 */
const section = (
  id: string,
  label: string,
  title: string,
  icon: ConsoleIconName,
  more: Partial<ConsoleSection> = {},
) => ({
  id,
  label,
  title,
  icon,
  groups: ['admins'],
  isBuilt: false,
  ...more,
})

/** The eleven sections of the specification in four groups, and a fifth group for running the site. */
const consoleGroups: { title: string; sections: ConsoleSection[] }[] = [
  {
    title: 'Reporting & Communication',
    sections: [
      section('reports', 'Reports', 'Reports', 'report'),
      section('messages', 'Messages', 'Messages', 'message', { flag: 'ANNOUNCEMENTS' }),
    ],
  },
  {
    title: 'Learning Content',
    sections: [
      section('courses', 'Courses', 'Courses', 'path', { groups: staff }),
      section('modules', 'Modules', 'Modules', 'stack', { groups: staff, isBuilt: true }),
      section('lectures', 'Lectures', 'Lectures', 'mic', { groups: staff }),
      section('tags', 'Tags', 'Tags', 'tag'),
    ],
  },
  {
    title: 'LMS Users',
    sections: [
      section('users', 'Users', 'Users', 'people'),
      section('institutions', 'Institutions', 'Institutions', 'building'),
    ],
  },
  {
    title: 'Page Content',
    sections: [
      section('courses-page', 'Courses Page', 'Courses Page Manager', 'list'),
      section('modules-page', 'Modules Page', 'Modules Page Manager', 'grip'),
      section('glossary', 'Glossary', 'Glossary', 'book', { flag: 'GLOSSARY' }),
    ],
  },
  {
    title: 'Administration',
    sections: [
      section('audit-log', 'Audit Log', 'Audit Log', 'list'),
      section('settings', 'Settings', 'Settings', 'lock'),
      section('statements', 'Statements', 'Statements', 'file'),
      section('outbox', 'Outbox', 'Outbox', 'message', { isBuilt: true }),
    ],
  },
]

export const defaultSection = 'modules'

export function findSection(id: string | undefined): ConsoleSection | undefined {
  return consoleGroups.flatMap((group) => group.sections).find((entry) => entry.id === id)
}

/** Returns the groups with the sections that a person sees, without empty groups (C-014, A-015, C-016, A-201). */
export function groupsFor(viewer: NavigationViewer): typeof consoleGroups {
  return consoleGroups
    .map((group) => ({ ...group, sections: group.sections.filter((section) => isShownTo(section, viewer)) }))
    .filter((group) => group.sections.length > 0)
}
