/** Names and tags of any script are found by their own words, in tables that make their keys while they search. */
import { expect, test } from 'vitest'
import { isFoundIn, searchKey } from '~/lib/text.ts'
import { deleteAnnouncement } from '~/services/announcements/delete-announcement.server.ts'
import { listMessagePage } from '~/services/announcements/table.server.ts'
import { listPublishedCourses } from '~/services/courses/catalog.server.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { listCoursePage } from '~/services/courses/table.server.ts'
import { listFilmPage } from '~/services/films/table.server.ts'
import { deleteTags } from '~/services/tags/change-tags.server.ts'
import { listTrash } from '~/services/trash/trash.server.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { aDraft } from '../support/messages.ts'
import { aMember } from '../support/module-editing.ts'
import { db } from '../support/test.ts'

const admin = await aMember(db, ['admins'])

const texts = [
  'हिन्दी व्याख्यान',
  'שָׁלוֹם עולם',
  'مُحاضَرة جديدة',
  'தமிழ் பாடம்',
  'ΟΔΥΣΣΕΑΣ ξανά',
  'D’Arcy ٣',
  're\u00adport monthly',
  'emoji 👩‍🔬 lab',
  'a\u200db join',
  'plain & simple',
]
const searches = [
  ...texts,
  ...texts.map(searchKey),
  ...texts.map((text) => text.split(' ').reverse().join(' ')),
  ...['👩‍🔬', 'report', 'ab', 'ΟΔΥΣ', "d'arcy", '٣ d’arcy', 'SIMPLE pl', 'व्याख', 'ahead'],
]

/** Each search finds what the browser's rule finds, and what is searched by itself is found. */
async function expectAgreement(find: (search: string) => Promise<string[]>): Promise<void> {
  for (const search of searches) {
    const inBrowser = texts.filter((text) => isFoundIn(searchKey(text), searchKey(search)))
    expect((await find(search)).sort(), search).toEqual(inBrowser.sort())
    if (texts.includes(search)) expect(inBrowser, search).toContain(search)
  }
}

const namesIn = ({ items }: { items: { name: string }[] }) => items.map(({ name }) => name)
const page = { size: 100 }

test.each(['lecture', 'video'] as const)('names of every %s', async (kind) => {
  for (const name of texts) await (kind === 'lecture' ? aLecture : aVideo)(db, { name })
  await expectAgreement(async (search) => namesIn(await listFilmPage(admin, { ...page, kind, search })))
})

test('names of messages, also in the trash', async () => {
  const messages = []
  for (const name of texts) messages.push(await aDraft(admin, { subject: name }))
  await expectAgreement(async (search) => namesIn(await listMessagePage(admin, { ...page, search })))
  for (const { uid } of messages) await deleteAnnouncement(admin, { announcementUid: uid })
  const filters = { kind: ['message'] }
  await expectAgreement(async (search) => namesIn(await listTrash(admin, { ...page, filters, search })))
})

test('tags of courses, also in the trash', async () => {
  for (const [at, tag] of texts.entries())
    await createCourse(admin, { name: `${at}`, tags: [tag], accessPlanUids: [], publish: true, sections: [] })
  const tagsOf = (names: string[]) => names.map((name) => texts[Number(name)] ?? name)
  await expectAgreement(async (search) => tagsOf(namesIn(await listCoursePage(admin, { ...page, search }))))
  await expectAgreement(async (search) =>
    tagsOf((await listPublishedCourses(admin, { search, most: 100 })).map(({ name }) => name)),
  )
  await deleteTags(admin, { tagsToDelete: texts })
  const filters = { kind: ['tag'] }
  await expectAgreement(async (search) => namesIn(await listTrash(admin, { ...page, filters, search })))
})
