import { isShownTo, type NavigationRule, type NavigationViewer } from '../layout/navigation.ts'
import type { ConsoleIconName } from './console-icon.tsx'

/** A section of the console. The id is in addresses, the label in the navigation. */
export type ConsoleSection = NavigationRule & {
  id: string
  label: string
  icon: ConsoleIconName
  /** False for a section that is not built yet. The navigation shows it, but nobody can open it. */
  isBuilt: boolean
}

const staff = ['admins', 'authors']

/**
 * Makes a section for admins, unless `more` has other groups. `groups: undefined` means everybody who may open the
 * console.
 */
const section = (id: string, label: string, icon: ConsoleIconName, more: Partial<ConsoleSection> = {}) => ({
  id,
  label,
  icon,
  groups: ['admins'],
  isBuilt: false,
  ...more,
})

/**
 * The eleven sections of the specification in four groups, with what belongs to the learning content and to people
 * besides, the overview, and a fifth group for running the site.
 */
const consoleGroups: { title: string; sections: ConsoleSection[] }[] = [
  {
    title: 'Reporting & Communication',
    sections: [
      section('overview', 'Overview', 'dash', { groups: staff, isBuilt: true }),
      section('reports', 'Reports', 'report', { isBuilt: true }),
      section('messages', 'Messages', 'message', { flag: 'ANNOUNCEMENTS', isBuilt: true }),
    ],
  },
  {
    title: 'Learning Content',
    sections: [
      section('courses', 'Courses', 'path', { groups: staff, isBuilt: true }),
      section('modules', 'Modules', 'stack', { groups: staff, isBuilt: true }),
      section('lectures', 'Lectures', 'mic', { groups: staff, isBuilt: true }),
      section('videos', 'Videos', 'play', { groups: staff, isBuilt: true }),
      section('tags', 'Tags', 'tag', { isBuilt: true }),
      section('schedule', 'Schedule', 'clock', { groups: staff, isBuilt: true }),
      section('trash', 'Trash', 'trash', { groups: staff, isBuilt: true }),
    ],
  },
  {
    title: 'LMS Users',
    sections: [
      section('users', 'Users', 'people', { isBuilt: true }),
      section('institutions', 'Institutions', 'building', { isBuilt: true }),
      section('audiences', 'Audiences', 'funnel', { isBuilt: true }),
      section('plans', 'Access Plans', 'key', { isBuilt: true }),
      section('groups', 'Groups', 'eye', { isBuilt: true }),
    ],
  },
  {
    title: 'Page Content',
    sections: [
      section('courses-page', 'Courses Page', 'list', { isBuilt: true }),
      section('modules-page', 'Modules Page', 'grip', { isBuilt: true }),
      section('glossary', 'Glossary', 'book', { flag: 'GLOSSARY', isBuilt: true }),
    ],
  },
  {
    title: 'Administration',
    sections: [
      section('audit-log', 'Audit Log', 'list', { isBuilt: true }),
      section('settings', 'Settings', 'lock', { isBuilt: true }),
      section('statements', 'Statements', 'file', { isBuilt: true }),
      section('mails', 'Emails', 'message', { isBuilt: true }),
      section('suppressed', 'Suppressed Addresses', 'alert', { isBuilt: true }),
      section('outbox', 'Outbox', 'message', { isBuilt: true }),
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
