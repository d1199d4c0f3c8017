import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, Invalid } from '~/services/errors.ts'
import { recordEvent, recordSearch } from '~/services/events/events.server.ts'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { composeLetter } from '~/services/mail/letter.ts'
import { projectFacets } from '~/services/questionnaire/questionnaire.server.ts'
import { getSiteSettings, updateSiteSettings } from '~/services/settings/settings.server.ts'
import { getSite, listFeatureFlags } from '~/services/sites/sites.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { db, expectGuarded } from '../support/test.ts'

type Input = Parameters<typeof updateSiteSettings>[1]

const usual: Input = {
  timeZone: 'America/Chicago',
  defaultInstitution: null,
  features: ['LECTURES', 'ALL_CONTENT', 'GLOSSARY', 'ANNOUNCEMENTS'],
  senderName: null,
  replyTo: null,
  surveyUrl: null,
  recordsEvents: true,
  tracksMails: true,
}

let admin: Ctx
let other: Ctx

beforeAll(async () => {
  const [ana, ben] = [
    await aUser(db, { groups: ['admins'], plan: null, firstName: 'Ana', lastName: 'Moreau' }),
    await aUser(db, { groups: ['admins'], plan: null, firstName: 'Ben', lastName: 'Osei' }),
  ]
  admin = await aContext(db, { viewer: ana })
  other = await aContext(db, { viewer: ben })
})

beforeEach(async () => {
  await updateSiteSettings(admin, usual)
})

const entries = () => listAuditEntries(admin, { entity: 'site', entityUid: admin.site.uid })

describe('updateSiteSettings', () => {
  test('changes all of them, and the audit log has the values before and after', async () => {
    const { uid } = await ensureUniversity(admin, { name: 'University of Settings' })
    const settings: Input = {
      timeZone: 'Europe/Berlin',
      defaultInstitution: uid,
      features: ['LECTURES', 'GLOSSARY'],
      senderName: 'The Titrate team',
      replyTo: 'help@titrate.example',
      surveyUrl: 'https://survey.example/after',
      recordsEvents: false,
      tracksMails: false,
    }
    await updateSiteSettings(admin, settings)
    const { state } = await getSiteSettings(admin)
    expect({ ...state, features: [...state.features].sort() }).toEqual({
      ...settings,
      features: ['GLOSSARY', 'LECTURES'],
    })
    expect(await listFeatureFlags(admin)).toEqual(['GLOSSARY', 'LECTURES'])
    const site = await getSite(db, 'institutional')
    expect(site).toMatchObject({ timeZone: 'Europe/Berlin', surveyUrl: 'https://survey.example/after' })
    const { at: _, ...entry } = (await entries()).at(-1) ?? { at: null }
    expect(entry).toMatchObject({
      actorName: 'Ana Moreau',
      action: 'site.updated',
      before: { timeZone: 'America/Chicago', senderName: null },
      after: { timeZone: 'Europe/Berlin', senderName: 'The Titrate team' },
    })
  })

  test('mails have the name of the sender and the address for answers', async () => {
    await updateSiteSettings(admin, { ...usual, senderName: 'The Titrate team', replyTo: 'help@titrate.example' })
    const site = await getSite(db, 'institutional')
    const to = { firstName: 'Ada', lastName: 'Okafor', address: 'ada@titrate.example' }
    const letter = { to, subject: 'Hello', before: [], after: [] }
    expect(composeLetter({ ...letter, site }).from).toEqual({
      name: 'The Titrate team',
      replyTo: 'help@titrate.example',
    })
    expect(composeLetter({ ...letter, site: { ...site, senderName: null, replyTo: null } }).from.name).toBe('Titrate')
  })

  test('visits and searches are recorded only while the site records them', async () => {
    const count = async () => {
      const of = (table: 'events' | 'search_queries') =>
        db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow()
      return [(await of('events')).count, (await of('search_queries')).count]
    }
    const visit = async () => {
      await recordEvent(admin, { event: { event: 'View Page Home', properties: {} }, perMinute: 100 })
      await recordSearch(admin, { query: 'dose', type: 'all', results: 0 })
    }
    const [events = 0, searches = 0] = await count()
    await visit()
    expect(await count()).toEqual([events + 1, searches + 1])
    await updateSiteSettings(admin, { ...usual, recordsEvents: false })
    await visit()
    expect(await count()).toEqual([events + 1, searches + 1])
  })

  test('C-137 people of the default institution form its group', async () => {
    const [one, two] = [
      await ensureUniversity(admin, { name: 'First University' }),
      await ensureUniversity(admin, { name: 'Second University' }),
    ]
    const people = await Promise.all([aUser(db, {}), aUser(db, {})])
    for (const [index, { uid }] of [one, two].entries()) {
      const person = people[index]
      if (!person) throw new Error('Nobody is there')
      await db
        .updateTable('users')
        .set((eb) => ({ university_id: eb.selectFrom('universities').select('id').where('uid', '=', uid) }))
        .where('id', '=', person.id)
        .execute()
      await projectFacets(admin, { userUid: person.uid })
    }
    const groups = async () => {
      const rows = await db
        .selectFrom('user_facets')
        .select('group_key as group')
        .where(
          'user_id',
          'in',
          people.map(({ id }) => id),
        )
        .orderBy('user_id')
        .execute()
      return rows.map(({ group }) => group === 'university')
    }
    await updateSiteSettings(admin, { ...usual, defaultInstitution: one.uid })
    expect(await groups()).toEqual([true, false])
    await updateSiteSettings(admin, { ...usual, defaultInstitution: two.uid })
    expect(await groups()).toEqual([false, true])
    // Of all others, people whose plan is subsidized are the group of the site, and the rest is external.
    await updateSiteSettings(admin, usual)
    const [first] = people
    await db.updateTable('subscriptions').set({ type: 'subsidized' }).where('user_id', '=', first.id).execute()
    for (const { uid } of people) await projectFacets(admin, { userUid: uid })
    const named = await db
      .selectFrom('user_facets')
      .innerJoin('users', 'users.id', 'user_id')
      .select(['users.uid', 'group_key'])
      .where(
        'users.uid',
        'in',
        people.map(({ uid }) => uid),
      )
      .execute()
    const groupOf = new Map(named.map(({ uid, group_key }) => [uid, group_key]))
    expect(people.map(({ uid }) => groupOf.get(uid))).toEqual(['site', 'external'])
  })

  test.each<[Partial<Record<keyof Input, unknown>>, keyof Input, string]>([
    [{ timeZone: 'Mars/Olympus' }, 'timeZone', 'There is no such time zone'],
    [{ timeZone: '+02:00' }, 'timeZone', 'There is no such time zone'],
    [{ replyTo: 'nobody' }, 'replyTo', 'A valid email address is required'],
    [{ surveyUrl: 'http://survey.example/' }, 'surveyUrl', 'Enter an address that begins with https://'],
    [{ surveyUrl: 'javascript:alert(1)' }, 'surveyUrl', 'Enter an address that begins with https://'],
    [{ senderName: 'x'.repeat(101) }, 'senderName', 'At most 100 characters'],
    [{ features: ['CLOCK'] }, 'features', ''],
  ])('%j is refused beside its field', async (wrong, field, message) => {
    const refused = await updateSiteSettings(admin, { ...usual, ...wrong } as Input).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Invalid)
    const found = Object.entries((refused as Invalid).fieldErrors).find(([name]) => name.startsWith(field))
    expect(found?.[1]).toContain(message)
  })

  test('an institution of the other site is refused', async () => {
    const ns = await aContext(db, {
      site: 'ns',
      viewer: await aUser(db, { site: 'ns', groups: ['admins'], plan: null }),
    })
    const { uid } = await ensureUniversity(ns, { name: 'Elsewhere' })
    await expect(updateSiteSettings(admin, { ...usual, defaultInstitution: uid })).rejects.toThrow(
      'This institution no longer exists.',
    )
  })

  test('is for admins of the site', async () => {
    await expectGuarded(updateSiteSettings, usual, { by: ['admins'], elsewhere: null })
  })

  test('two admins: different fields are merged, and of the same field the second is told', async () => {
    const { revision } = await getSiteSettings(admin)
    await updateSiteSettings(other, { ...usual, senderName: 'Team B', revision })
    const merged = await updateSiteSettings(admin, { ...usual, timeZone: 'Europe/Paris', revision })
    expect(merged).toMatchObject({ senderName: 'Team B', timeZone: 'Europe/Paris' })
    const late = updateSiteSettings(admin, { ...usual, senderName: 'Team A', revision })
    await expect(late).rejects.toBeInstanceOf(Conflict)
    const refused = (await late.catch((error: unknown) => error)) as Conflict
    expect(refused.fieldErrors.senderName).toBe(
      'Ben Osei changed this while you were editing. It is now “Team B”. Save again to use yours.',
    )
  })

  test('ten times at once is one change', async () => {
    const before = (await entries()).length
    await Promise.all(Array.from({ length: 10 }, () => updateSiteSettings(admin, { ...usual, senderName: 'Ten' })))
    expect((await entries()).length).toBe(before + 1)
  })
})
