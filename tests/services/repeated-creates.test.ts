/**
 * The answer to a create was lost, or its draft was saved on another device. What the author has typed since is saved
 * with the next press, as a change of what was created: it may not be thrown away.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createAccessPlan, getAccessPlan } from '~/services/access/plans.server.ts'
import { getAudience } from '~/services/audiences/audiences.server.ts'
import { createAudience } from '~/services/audiences/save-audience.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx } from '~/services/context.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { getCourseToEdit, saveCourse } from '~/services/courses/save-course.server.ts'
import { createGlossaryTerm, getGlossaryTermToEdit } from '~/services/glossary/save-term.server.ts'
import { createLecture } from '~/services/lectures/create-lecture.server.ts'
import { getLectureToEdit } from '~/services/lectures/save-lecture.server.ts'
import { createModule } from '~/services/modules/create-module.server.ts'
import { getModuleToEdit } from '~/services/modules/save-module.server.ts'
import { createVideo } from '~/services/videos/create-video.server.ts'
import { getVideoToEdit } from '~/services/videos/save-video.server.ts'
import { aCover } from '../support/attachments.ts'
import { aMember, latestPackage, moduleValues, planUid } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'
import { db } from '../support/test.ts'

aStorage()

const admin = await aMember(db, ['admins'])

async function filmValues() {
  return {
    description: 'What it is about',
    status: 'draft',
    coverImg: (await aCover(admin)).name,
    coverImgDesc: 'A plate',
    accessPlanUids: [await planUid(admin)],
    videoUrl: '/films/plates.mp4',
  }
}

type Kind = {
  entity: string
  values: () => Promise<object>
  create: (ctx: Ctx, input: never) => Promise<{ uid: string }>
  read: (uid: string) => Promise<object>
}

const kinds: Record<string, Kind> = {
  course: {
    entity: 'course',
    values: async () => ({ description: '', sections: [{ uid: randomUUID(), name: 'First', chapters: [] }] }),
    create: createCourse,
    read: async (courseUid) => (await getCourseToEdit(admin, { courseUid })).state,
  },
  module: {
    entity: 'module',
    values: () => moduleValues(admin),
    create: createModule,
    read: async (moduleUid) => (await getModuleToEdit(admin, { moduleUid })).state,
  },
  lecture: {
    entity: 'lecture',
    values: async () => ({ ...(await filmValues()), questionsMarkdown: '1. Why?', inLecturesPage: true }),
    create: createLecture,
    read: async (lectureUid) => (await getLectureToEdit(admin, { lectureUid })).state,
  },
  video: {
    entity: 'video',
    values: async () => ({ ...(await filmValues()), category: 'expert' }),
    create: createVideo,
    read: async (videoUid) => (await getVideoToEdit(admin, { videoUid })).state,
  },
  term: {
    entity: 'glossary_term',
    values: async () => ({ definition: 'What it means' }),
    create: createGlossaryTerm,
    read: (termUid) => getGlossaryTermToEdit(admin, { termUid }),
  },
  audience: {
    entity: 'audience',
    values: async () => ({ conditions: [{ about: 'group', how: 'is', values: ['admins'] }] }),
    create: createAudience,
    read: (audienceUid) => getAudience(admin, { audienceUid }),
  },
  plan: {
    entity: 'access_plan',
    values: async () => ({ isPublic: false }),
    create: createAccessPlan,
    read: (planUid) => getAccessPlan(admin, { planUid }),
  },
}

test.each(Object.entries(kinds))('a %s', async (kind, { entity, values, create, read }) => {
  const form = { ...(await values()), uid: randomUUID(), name: `The first ${kind}` }
  const send = (changes: object = {}) => create(admin, { ...form, ...changes } as never)
  expect((await send()).uid).toBe(form.uid)
  const entries = () => listAuditEntries(admin, { entity, entityUid: form.uid })
  const atFirst = (await entries()).length
  await send()
  expect(await entries(), 'the same again changes nothing').toHaveLength(atFirst)
  const others: Record<string, object> = { plan: { isPublic: true }, term: { definition: 'New' }, audience: {} }
  const typed = others[kind] ?? { description: 'New' }
  const later = { ...typed, name: `The second ${kind}` }
  await Promise.all(Array.from({ length: 5 }, () => send(later)))
  expect(await read(form.uid)).toMatchObject(later)
  expect(await entries(), 'one change').toHaveLength(atFirst + 1)
  if (kind === 'module') expect((await latestPackage(admin, form.uid)).version).toBe(1)
})

test('what somebody else has changed since is kept, or told', async () => {
  const form = { uid: randomUUID(), name: 'A shared course', description: '', sections: [] }
  await createCourse(admin, form)
  const other = await aMember(db, ['authors'], { firstName: 'Lin' })
  await saveCourse(other, { ...form, courseUid: form.uid, revision: 0, name: 'Renamed by Lin' })
  await createCourse(admin, { ...form, description: 'Typed meanwhile' })
  const { state } = await getCourseToEdit(admin, { courseUid: form.uid })
  expect(state).toMatchObject({ name: 'Renamed by Lin', description: 'Typed meanwhile' })
  await expect(createCourse(admin, { ...form, name: 'Another name' })).rejects.toThrow('What you typed is still here')
})
