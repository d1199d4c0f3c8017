/** What the demo's people do, worked out without a database: the figures that a visitor sees first must look real. */
import { describe, expect, test } from 'vitest'
import { readSources } from '../../seed/activity/activity.ts'
import { people } from '../../seed/activity/people.ts'
import { type Sitting, sittingsOf, sittingsOfAda } from '../../seed/activity/plan.ts'
import type { ModuleSource } from '../../seed/build-package.ts'

const dayMs = 86_400_000

/** When somebody started modules, and when they finished their last units. */
function startsAndCompletions(sittings: Sitting[], sources: ReadonlyMap<string, ModuleSource>) {
  const open = new Map<string, { startedAt: Date; done: Set<number>; completedAt: Date | null }>()
  for (const { at, visit } of sittings) {
    if (!visit) continue
    const module = open.get(visit.module) ?? { startedAt: at, done: new Set(), completedAt: null }
    open.set(visit.module, module)
    if (visit.result) module.done.add(visit.unitIndex)
    if (module.done.size === sources.get(visit.module)?.units.length) module.completedAt ??= at
  }
  return [...open.values()]
}

describe.each(['institutional', 'ns'] as const)('the people of %s', async (site) => {
  const sources = await readSources(site)

  test.each(['2026-11-23', '2026-12-31', '2027-02-10'])('complete modules until the end, seeded on %s', (day) => {
    const today = new Date(`${day}T00:00:00Z`)
    const taken = people[site].flatMap((person) => startsAndCompletions(sittingsOf(person, sources, today), sources))
    const isLate = (at: Date | null) => at !== null && today.getTime() - at.getTime() < 30 * dayMs
    const starts = taken.filter(({ startedAt }) => isLate(startedAt)).length
    const completions = taken.filter(({ completedAt }) => isLate(completedAt)).length
    expect(starts).toBeGreaterThan(5)
    expect(completions / starts).toBeGreaterThan(0.5)
    expect(completions / starts).toBeLessThan(1.2)
    expect(taken.filter(({ completedAt }) => completedAt === null).length / taken.length).toBeGreaterThan(0.1)
  })

  test('learn with the modules of their own site, where it has some', () => {
    const today = new Date('2026-11-23T00:00:00Z')
    const own = [...sources].flatMap(([folder, source]) => (source.site === site ? [folder] : []))
    expect(own).toHaveLength(site === 'ns' ? 4 : 0)
    const visits = people[site].flatMap((person) =>
      sittingsOf(person, sources, today).flatMap(({ visit }) => visit ?? []),
    )
    expect(visits.map(({ module }) => module)).toEqual(expect.arrayContaining(own))
    const courses = new Set(visits.map(({ courseSlug }) => courseSlug))
    const last = sittingsOfAda(sources, today).at(-1)?.visit?.module
    expect(last === 'crossing-the-blood-brain-barrier').toBe(site === 'ns')
    expect(courses.has('medicines-for-the-nervous-system')).toBe(site === 'ns')
  })

  test('are never here twice on one day, nor after they were here last', () => {
    const today = new Date('2026-11-23T00:00:00Z')
    for (const person of people[site]) {
      const sittings = sittingsOf(person, sources, today)
      const days = sittings.map(({ at }) => Math.floor((today.getTime() - at.getTime()) / dayMs) + 1)
      expect(days, person.name).toEqual([...new Set(days)].sort((one, other) => other - one))
      if (days.length > 0) expect(days.at(-1), person.name).toBe(Math.max(1, person.lastSeen ?? 0))
    }
  })
})
