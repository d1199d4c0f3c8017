/** The items of the console's navigation that each group sees. */
import { expect, test } from 'vitest'
import { groupsFor } from '~/components/console/sections.ts'
import { waysFor } from '~/components/layout/explore.ts'
import { isShownTo } from '~/components/layout/navigation.ts'

const flags = ['ANNOUNCEMENTS', 'GLOSSARY', 'LECTURES', 'ALL_CONTENT']
const idsFor = (groups: string[], on = flags) =>
  groupsFor({ groups, flags: on }).flatMap(({ sections }) => sections.map(({ id }) => id))

test('C-014 A-201 an item without groups is for everybody, and one with groups is for those groups', () => {
  for (const groups of [[], ['learners'], ['authors'], ['admins']]) {
    expect(isShownTo({}, { groups, flags: [] })).toBe(true)
  }
  expect(isShownTo({ groups: ['admins', 'authors'] }, { groups: ['learners', 'authors'], flags: [] })).toBe(true)
  expect(isShownTo({ groups: ['admins'] }, { groups: ['learners', 'authors'], flags: [] })).toBe(false)
})

test('A-009 labels are short, and only headings say "Manage"', () => {
  const labels = groupsFor({ groups: ['admins'], flags }).flatMap(({ sections }) => sections.map(({ label }) => label))
  expect(labels.slice(0, 18)).toEqual([
    'Overview',
    'Reports',
    'Messages',
    'Courses',
    'Modules',
    'Lectures',
    'Videos',
    'Tags',
    'Schedule',
    'Trash',
    'Users',
    'Institutions',
    'Audiences',
    'Access Plans',
    'Groups',
    'Courses Page',
    'Modules Page',
    'Glossary',
  ])
})

test('A-014 authors see what learners learn from, admins all sections and the administration, and others none', () => {
  expect(idsFor(['authors'])).toEqual(['overview', 'courses', 'modules', 'lectures', 'videos', 'schedule', 'trash'])
  expect(idsFor(['admins'])).toHaveLength(24)
  expect(idsFor(['admins']).slice(18)).toEqual(['audit-log', 'settings', 'statements', 'mails', 'suppressed', 'outbox'])
  expect(idsFor(['learners'])).toEqual([])
})

test('A-015 C-016 messages and glossary appear only if the site has them, and lectures always', () => {
  expect(idsFor(['admins'], [])).not.toContain('messages')
  expect(idsFor(['admins'], [])).not.toContain('glossary')
  expect(idsFor(['admins'], [])).toContain('lectures')
  expect(idsFor(['admins'], ['ANNOUNCEMENTS'])).toContain('messages')
  expect(waysFor([]).map(({ to }) => to)).not.toContain('/lectures/')
})
