import { isShownTo, type NavigationRule, type NavigationViewer } from '../layout/navigation.ts'
import type { IconName } from '../ui/icon.tsx'

/** The console's areas: ids are in addresses, labels in the navigation, titles in document titles. */
export type ConsoleSection = NavigationRule & {
  id: string
  label: string
  title: string
  icon: IconName
  /** A section that is not built yet is shown as such and cannot be opened. */
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

/** The specification's eleven sections in four groups, and a fifth for running the site. A section beyond the eleven stands last in its group. */
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

/** The groups of sections that somebody sees, without those that have none left (C-014, A-015, C-016, A-201). */
export function groupsFor(viewer: NavigationViewer): typeof consoleGroups {
  return consoleGroups
    .map((group) => ({ ...group, sections: group.sections.filter((section) => isShownTo(section, viewer)) }))
    .filter((group) => group.sections.length > 0)
}
