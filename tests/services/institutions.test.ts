import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { updateUser } from '~/services/accounts/profile.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx } from '~/services/context.ts'
import { NotFound } from '~/services/errors.ts'
import { ensureUniversity, listAllUniversities } from '~/services/institutions/institutions.server.ts'
import { renameUniversity } from '~/services/institutions/rename-university.server.ts'
import { getSiteSettings, updateSiteSettings } from '~/services/settings/settings.server.ts'
import {
  deleteUniversity,
  listRemovedUniversities,
  planReplacement,
  purgeRemovedUniversities,
  restoreUniversity,
} from '~/services/users/replace-university.server.ts'
import { listUserPage } from '~/services/users/table.server.ts'
import {
  getUniversity,
  listLookalikes,
  listUniversityPage,
  nameWithoutForm,
} from '~/services/users/university-list.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { db, expectGuarded } from '../support/test.ts'

let admin: Ctx

beforeAll(async () => {
  const viewer = await aUser(db, { groups: ['admins'], plan: null, firstName: 'Ana', lastName: 'Moreau' })
  admin = await aContext(db, { viewer })
})

beforeEach(async () => {
  await db.updateTable('sites').set({ default_university_id: null }).execute()
  await db.updateTable('users').set({ university_id: null }).execute()
  await db.deleteFrom('removed_universities').execute()
  await db.deleteFrom('universities').execute()
})

const institution = async (name: string) => (await ensureUniversity(admin, { name })).uid

async function someoneOf(universityUid: string) {
  const person = await aUser(db)
  await moveTo(person.id, universityUid)
  return person
}

async function moveTo(userId: number, universityUid: string): Promise<void> {
  await db
    .updateTable('users')
    .set((eb) => ({ university_id: eb.selectFrom('universities').select('id').where('uid', '=', universityUid) }))
    .where('id', '=', userId)
    .execute()
}

async function institutionOf(userId: number): Promise<string | null> {
  const row = await db
    .selectFrom('users')
    .leftJoin('universities', 'universities.id', 'users.university_id')
    .select('universities.name')
    .where('users.id', '=', userId)
    .executeTakeFirstOrThrow()
  return row.name
}

const names = async () => (await listAllUniversities(admin)).map(({ name }) => name)

describe('the list', () => {
  test('has the number of people, is searched without marks, and is ordered by name or by people', async () => {
    const [north, south] = [await institution('Université du Nord'), await institution('South College')]
    for (const uid of [south, south, north]) await someoneOf(uid)
    await institution('Empty Institute')
    const disabled = await someoneOf(south)
    await db.updateTable('users').set({ is_active: false }).where('id', '=', disabled.id).execute()
    const page = await listUniversityPage(admin, { sort: 'people', isDescending: true })
    expect(page.items.map(({ name, people, learners }) => [name, people, learners])).toEqual([
      ['South College', 3, 2],
      ['Université du Nord', 1, 1],
      ['Empty Institute', 0, 0],
    ])
    const { total } = await listUserPage(admin, { tab: 'learners', filters: { institution: [south] } })
    expect(total, 'the learners that the number leads to').toBe(2)
    expect((await listUniversityPage(admin, { search: 'universite' })).items).toHaveLength(1)
    expect((await listUniversityPage(admin, { search: '%' })).total).toBe(0)
    expect(await listUniversityPage(admin, { page: 9 })).toEqual({ items: [], total: 3 })
    expect(await getUniversity(admin, { universityUid: south })).toMatchObject({ people: 3, isDefault: false })
  })

  test('names that probably mean the same institution are found', async () => {
    await institution('University of Basel')
    await institution('Univ. of Basel')
    await institution('University of Bern')
    expect((await listLookalikes(admin)).map((pair) => pair.map(({ name }) => name).sort())).toEqual([
      ['Univ. of Basel', 'University of Basel'],
    ])
    expect(nameWithoutForm('St. Mary’s Hosp.')).toBe(nameWithoutForm('Saint Mary’s Hospital'))
    expect(nameWithoutForm('The University of Basel')).not.toBe(nameWithoutForm('University of Bern'))
  })
})

describe('renameUniversity', () => {
  test('two that are renamed to each other at once are refused, however many do it', async () => {
    const [a, b] = [await institution('Aarau'), await institution('Biel')]
    const renames = Array.from({ length: 12 }, (_, index) =>
      renameUniversity(
        admin,
        index % 2 === 0 ? { universityUid: a, name: 'Biel' } : { universityUid: b, name: 'Aarau' },
      ),
    )
    for (const result of await Promise.allSettled(renames)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'university.taken' } })
    }
  })

  test('changes the name once, and the name of another one is refused', async () => {
    const [uid] = [await institution('Basle University'), await institution('Bern University')]
    await Promise.all([1, 2, 3].map(() => renameUniversity(admin, { universityUid: uid, name: 'Basel University' })))
    expect(await listAuditEntries(admin, { entity: 'university', entityUid: uid })).toHaveLength(1)
    await expect(renameUniversity(admin, { universityUid: uid, name: 'BERN university' })).rejects.toThrow(
      'There is already an institution “Bern University”. You can merge the two.',
    )
    await renameUniversity(admin, { universityUid: uid, name: 'University of Basel' })
    await expect(
      renameUniversity(admin, { universityUid: uid, name: 'Basel', openedName: 'Basel University' }),
    ).rejects.toThrow('Somebody else has changed this name to “University of Basel”.')
    await expectGuarded(renameUniversity, { universityUid: uid, name: 'Mine' }, { by: ['admins'] })
  })
})

describe('deleteUniversity', () => {
  test('C-110 C-230 moves everybody to the replacement, once, and says before how many that are', async () => {
    const input = { institution: await institution('Old University'), replacement: await institution('New University') }
    const [one, two] = [await someoneOf(input.institution), await someoneOf(input.institution)]
    expect(await planReplacement(admin, input)).toMatchObject({ people: 2, into: { name: 'New University' } })
    await expectGuarded(planReplacement, input, { by: ['admins'] })
    await expectGuarded(deleteUniversity, input, { by: ['admins'] })
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => deleteUniversity(admin, input)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await names()).toEqual(['New University'])
    expect([await institutionOf(one.id), await institutionOf(two.id)]).toEqual(['New University', 'New University'])
  })

  test('the replacement may be gone by now', async () => {
    const [gone, stays, other] = [await institution('Gone'), await institution('Stays'), await institution('Other')]
    await deleteUniversity(admin, { institution: gone, replacement: other })
    const late = deleteUniversity(admin, { institution: stays, replacement: gone })
    await expect(late).rejects.toMatchObject({
      fieldErrors: { replacement: 'This institution no longer exists. Choose another one.' },
    })
    await expect(deleteUniversity(admin, { institution: gone, replacement: other })).rejects.toThrow(NotFound)
  })

  test('C-109 an institution does not replace itself, and the default one stays', async () => {
    const [uid, other] = [await institution('Home'), await institution('Away')]
    await expect(deleteUniversity(admin, { institution: uid, replacement: uid })).rejects.toThrow(
      'Choose another institution as the replacement.',
    )
    const { state } = await getSiteSettings(admin)
    await updateSiteSettings(admin, { ...state, defaultInstitution: uid })
    await expect(deleteUniversity(admin, { institution: uid, replacement: other })).rejects.toThrow(
      'This is the default institution of the site and cannot be deleted.',
    )
    expect(await names()).toEqual(['Away', 'Home'])
  })

  test('somebody who joins the institution at the same moment moves too, or joins a new one', async () => {
    const input = { institution: await institution('Busy'), replacement: await institution('Calm') }
    const people = await Promise.all(Array.from({ length: 5 }, () => aUser(db)))
    const joins = people.map(({ uid }) => updateUser(admin, { userUid: uid, university: 'Busy' }))
    await Promise.all([...joins, deleteUniversity(admin, input)])
    for (const { id } of people) expect(['Busy', 'Calm']).toContain(await institutionOf(id))
  })
})

describe('restoreUniversity', () => {
  test('brings back everybody who still belongs to the replacement, once', async () => {
    const [gone, stays, other] = [await institution('Gone'), await institution('Stays'), await institution('Other')]
    const [back, left, always] = [await someoneOf(gone), await someoneOf(gone), await someoneOf(stays)]
    const { removalUid } = await deleteUniversity(admin, { institution: gone, replacement: stays })
    await moveTo(left.id, other)
    expect(await listRemovedUniversities(admin)).toMatchObject([
      { uid: removalUid, name: 'Gone', replacement: 'Stays', removedBy: 'Ana Moreau' },
    ])
    await expectGuarded(restoreUniversity, { removalUid }, { by: ['admins'] })
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => restoreUniversity(admin, { removalUid })))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await Promise.all([back, left, always].map(({ id }) => institutionOf(id)))).toEqual([
      'Gone',
      'Other',
      'Stays',
    ])
    expect((await getUniversity(admin, { universityUid: gone })).people).toBe(1)
  })

  test('those that were merged one after the other come back from the last one to the first', async () => {
    const [one, two, three] = [await institution('One'), await institution('Two'), await institution('Three')]
    const [first, second] = [await someoneOf(one), await someoneOf(two)]
    const ofOne = await deleteUniversity(admin, { institution: one, replacement: two })
    const ofTwo = await deleteUniversity(admin, { institution: two, replacement: three })
    await expect(restoreUniversity(admin, { removalUid: ofOne.removalUid })).rejects.toThrow(
      'The people moved to “Two”, which was deleted later. Bring that one back first.',
    )
    await restoreUniversity(admin, { removalUid: ofTwo.removalUid })
    await restoreUniversity(admin, { removalUid: ofOne.removalUid })
    expect(await Promise.all([first, second].map(({ id }) => institutionOf(id)))).toEqual(['One', 'Two'])
  })

  test('one that was merged before finds its replacement under the uid that it came back with', async () => {
    const [one, two, three] = [await institution('Eins'), await institution('Zwei'), await institution('Drei')]
    const person = await someoneOf(one)
    const ofOne = await deleteUniversity(admin, { institution: one, replacement: two })
    const ofTwo = await deleteUniversity(admin, { institution: two, replacement: three })
    const anew = await institution('Zwei')
    expect(await restoreUniversity(admin, { removalUid: ofTwo.removalUid })).toMatchObject({ uid: anew, people: 1 })
    await restoreUniversity(admin, { removalUid: ofOne.removalUid })
    expect(await institutionOf(person.id)).toBe('Eins')
  })

  test('an undo while the replacement is deleted brings everybody back, or waits for the other undo', async () => {
    const third = await institution('Drittes')
    for (let turn = 0; turn < 8; turn += 1) {
      const [one, two] = [await institution(`One ${turn}`), await institution(`Two ${turn}`)]
      const person = await someoneOf(one)
      const { removalUid } = await deleteUniversity(admin, { institution: one, replacement: two })
      const [undone] = await Promise.allSettled([
        restoreUniversity(admin, { removalUid }),
        deleteUniversity(admin, { institution: two, replacement: third }),
      ])
      expect(undone.status === 'fulfilled' || undone.reason.code).toBe(
        (await institutionOf(person.id)) === `One ${turn}` ? true : 'university.deleted_later',
      )
    }
  })

  test('one does not come back while its replacement has its name', async () => {
    const [gone, stays] = [await institution('Basel'), await institution('Basle')]
    const { removalUid } = await deleteUniversity(admin, { institution: gone, replacement: stays })
    await renameUniversity(admin, { universityUid: stays, name: 'Basel' })
    await expect(restoreUniversity(admin, { removalUid })).rejects.toThrow('is called “Basel” now. Rename that one')
    await renameUniversity(admin, { universityUid: stays, name: 'Basle' })
    expect(await restoreUniversity(admin, { removalUid })).toMatchObject({ uid: gone, name: 'Basel' })
  })

  test('uses an institution that was made with the name in the meantime, and ends after thirty days', async () => {
    const [gone, stays] = [await institution('Gone'), await institution('Stays')]
    const person = await someoneOf(gone)
    const { removalUid } = await deleteUniversity(admin, { institution: gone, replacement: stays })
    await institution('gone')
    await restoreUniversity(admin, { removalUid })
    expect(await institutionOf(person.id)).toBe('gone')
    const again = await deleteUniversity(admin, { institution: stays, replacement: await institution('gone') })
    const later = { ...admin, now: new Date(admin.now.getTime() + 30 * 86_400_000) }
    await expect(restoreUniversity(later, { removalUid: again.removalUid })).rejects.toThrow(/too long ago/)
    await purgeRemovedUniversities({ ...later, now: new Date(later.now.getTime() - 1) })
    expect(await listRemovedUniversities(admin)).toHaveLength(1)
    await purgeRemovedUniversities(later)
    expect(await db.selectFrom('removed_universities').selectAll().execute()).toEqual([])
  })
})
