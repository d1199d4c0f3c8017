import { isShownTo, type NavigationRule, type NavigationViewer } from '../layout/navigation.ts'
import type { ConsoleIconName } from './console-icon.tsx'

/** A section of the console. The id is in addresses, the label in the navigation. */
export type ConsoleSection = NavigationRule & {
  id: string
  label: string
  icon: ConsoleIconName
  /** Says why the section is shown and cannot be opened (C-012, A-013); null if it can. */
  whyDisabled?: (shell: { hasOutbox: boolean }) => string | null
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
  ...more,
})

/**
 * The eleven sections of the specification in four groups, further sections beside them, and a fifth group for running
 * the site.
 */
const consoleGroups: { title: string; sections: ConsoleSection[] }[] = [
  {
    title: 'Reporting & Communication',
    sections: [
      section('overview', 'Overview', 'dash', { groups: staff }),
      section('reports', 'Reports', 'report'),
      section('messages', 'Messages', 'message', { flag: 'ANNOUNCEMENTS' }),
    ],
  },
  {
    title: 'Learning Content',
    sections: [
      section('courses', 'Courses', 'path', { groups: staff }),
      section('modules', 'Modules', 'stack', { groups: staff }),
      section('lectures', 'Lectures', 'mic', { groups: staff }),
      section('videos', 'Videos', 'play', { groups: staff }),
      section('tags', 'Tags', 'tag'),
      section('schedule', 'Schedule', 'clock', { groups: staff }),
      section('trash', 'Trash', 'trash', { groups: staff }),
    ],
  },
  {
    title: 'LMS Users',
    sections: [
      section('users', 'Users', 'people'),
      section('institutions', 'Institutions', 'building'),
      section('audiences', 'Audiences', 'funnel'),
      section('plans', 'Access Plans', 'key'),
      section('groups', 'Groups', 'eye'),
    ],
  },
  {
    title: 'Page Content',
    sections: [
      section('courses-page', 'Courses Page', 'list'),
      section('modules-page', 'Modules Page', 'grip'),
      section('glossary', 'Glossary', 'book', { flag: 'GLOSSARY' }),
    ],
  },
  {
    title: 'Administration',
    sections: [
      section('audit-log', 'Audit Log', 'list'),
      section('settings', 'Settings', 'lock'),
      section('statements', 'Statements', 'file'),
      section('mails', 'Emails', 'message'),
      section('suppressed', 'Suppressed Addresses', 'alert'),
      section('outbox', 'Outbox', 'message', {
        whyDisabled: ({ hasOutbox }) => (hasOutbox ? null : 'A mail server is set up, so no emails are kept here.'),
      }),
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
