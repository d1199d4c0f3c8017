/** The "Last Updated" column of the demo must look like work, and learners use no module before it was made. */
import { readdir } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { people } from '../../seed/activity/people.ts'
import { authorJoined, datesOfModule } from '../../seed/module-dates.ts'

const today = new Date('2026-11-23T00:00:00Z')
const folders = (await readdir('seed/modules')).sort()
const daysAgo = (at: Date) => (today.getTime() - at.getTime()) / 86_400_000

describe.each(['institutional', 'ns'] as const)('the modules of %s', (site) => {
  const dates = folders.map((folder) => datesOfModule({ folder, status: 'published' }, { site, today }))

  test('were made after the author joined and before anybody else did', () => {
    const firstJoined = Math.max(...people[site].map(({ joined }) => joined))
    for (const { madeAt } of dates) {
      expect(daysAgo(madeAt)).toBeGreaterThan(firstJoined)
      expect(daysAgo(madeAt)).toBeLessThan(authorJoined)
    }
  })

  test('were updated at uneven distances, in no order, and some of them lately', () => {
    const updated = dates.map(({ madeAt, changedAt }) => changedAt ?? madeAt)
    const days = updated.map((at) => Math.floor(daysAgo(at)))
    expect(new Set(days).size).toBeGreaterThan(12)
    expect(new Set(updated.map((at) => at.toISOString().slice(11))).size).toBeGreaterThan(12)
    expect(days).not.toEqual([...days].sort((one, other) => one - other))
    expect(days.filter((count) => count < 45).length).toBeGreaterThan(2)
    expect(Math.min(...updated.map(daysAgo))).toBeGreaterThan(0)
    expect(datesOfModule({ folder: folders[0] ?? '', status: 'published' }, { site, today })).toEqual(dates[0])
  })

  test('that are not published were made lately', () => {
    for (const status of ['draft', 'coming soon'] as const) {
      const { madeAt } = datesOfModule({ folder: 'choosing-a-formulation', status }, { site, today })
      expect(daysAgo(madeAt)).toBeLessThan(60)
    }
  })
})
