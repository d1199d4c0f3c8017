import type { z } from 'zod'
import { courseForm } from '~/forms/courses.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { setPlans, setTags, unknownPlan } from '../access/parts-writes.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { NotFound } from '../errors.ts'
import { newUid, parseInput } from '../input.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { ensureTags } from '../tags/tags.server.ts'
import { preparePictures, recordPictures } from './course-pictures.server.ts'
import { withPartUids } from './course-state.server.ts'
import { type Course, getCourse } from './courses.server.ts'
import { saveCourse } from './save-course.server.ts'
import { insertCourse, insertVersion, lockCourseOfSite, setPictures, setPublishedVersion } from './writes.server.ts'

export type NewCourse = z.input<typeof courseForm> & { uid?: string; publish?: boolean }

/**
 * Creates a course, for staff. With a `uid` made by the client, a repeated request creates only one course. What has
 * been typed since the first request, whose answer was lost, is saved as a change of that course.
 */
export async function createCourse(ctx: Ctx, input: NewCourse): Promise<Course> {
  requireStaff(ctx, 'write')
  const given = parseInput(courseForm, input)
  const values = withPartUids(given)
  const uid = newUid(input.uid)
  const pictures = await preparePictures(ctx, values)
  const created = await inTransaction(ctx, async (ctx) => {
    if (!(await insertCourse(ctx, { uid, ...values }))) return null
    const course = await lockCourseOfSite(ctx, uid)
    if (!course) throw new NotFound()
    const owner = { kind: 'courses', uid } as const
    if (!(await setPlans(ctx, owner, values.accessPlanUids))) throw unknownPlan()
    await setTags(ctx, owner, await ensureTags(ctx, { texts: values.tags }))
    await setPictures(ctx, course.id, await recordPictures(ctx, values, pictures))
    const versionId = await insertVersion(ctx, course.id, values.sections)
    if (input.publish) await setPublishedVersion(ctx, course.id, versionId)
    await recordAudit(ctx, {
      action: 'course.created',
      entity: 'course',
      entityUid: uid,
      after: { ...values, revision: 0 },
    })
    await queueIndexing(ctx, { kind: 'course', uids: [uid] })
    return getCourse(ctx, { courseUid: uid })
  })
  if (created) return created
  // The parts of a program's request get other uids each time, so nothing tells whether it wants a change.
  const isForm = given.sections.every((part) => part.uid !== null && part.chapters.every((one) => one.uid !== null))
  if (!isForm) return getCourse(ctx, { courseUid: uid })
  return (await saveCourse(ctx, { ...values, courseUid: uid, revision: 0 })).course
}
