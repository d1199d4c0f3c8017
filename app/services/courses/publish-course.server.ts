/**
 * Publishes, unpublishes, deletes and restores courses, for staff. Publishing puts a course at the end of the catalog;
 * a course that is there keeps its place.
 */
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type NewAuditEntry, recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireStaff, type SystemCtx } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { type Course, getCourse } from './courses.server.ts'
import {
  addToCatalog,
  clearPublishedVersion,
  type LockedCourse,
  lockCourseOfSite,
  setAddToHomepage,
  setDeleted,
  setPublishedVersion,
} from './writes.server.ts'

type Publication = { publish: boolean; addToHomepage?: boolean | null }

/** Publishes the latest version, or unpublishes the course. Repeating it changes nothing. */
export async function publishCourse(ctx: Ctx, input: Publication & { courseUid: string }): Promise<Course> {
  requireStaff(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    await changeStatus(ctx, await lockCourse(ctx, input.courseUid), input)
    return getCourse(ctx, input)
  })
}

/** Does the work of `publishCourse`. Call it in a transaction, with the course locked. */
export async function changeStatus(ctx: Ctx, course: LockedCourse, to: Publication): Promise<void> {
  const { id, uid, latestVersionId, publishedVersionId } = course
  if (typeof to.addToHomepage === 'boolean' && to.addToHomepage !== course.addToHomepage) {
    await setAddToHomepage(ctx, id, to.addToHomepage)
    const [before, after] = [{ addToHomepage: course.addToHomepage }, { addToHomepage: to.addToHomepage }]
    await record(ctx, uid, { action: 'course.updated', before, after })
  }
  if (!to.publish) {
    if (publishedVersionId === null) return
    await clearPublishedVersion(ctx, id)
    await record(ctx, uid, { action: 'course.unpublished' })
    return
  }
  if (latestVersionId === null) throw new Conflict('course.no_version', 'Course needs to be saved before publishing')
  if (publishedVersionId !== latestVersionId) await setPublishedVersion(ctx, id, latestVersionId)
  // An admin may have taken a published course out of the list.
  else if (!(await addToCatalog(ctx, id))) return
  await record(ctx, uid, { action: 'course.published' })
}

/**
 * Deletes a course softly: nobody sees it any more. For thirty days `restoreCourse` can bring it back with everybody's
 * progress. Throws NotFound if it is already deleted.
 */
export async function deleteCourse(ctx: Ctx, input: { courseUid: string }): Promise<{ uid: string; name: string }> {
  requireStaff(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { uid, name } = await lockCourse(ctx, input.courseUid)
    await setDeleted(ctx, uid, true)
    await record(ctx, uid, { action: 'course.deleted', before: { name } })
    return { uid, name }
  })
}

/** Undoes a deletion of the last thirty days. A course that is not deleted stays as it is. */
export async function restoreCourse(ctx: Ctx, input: { courseUid: string }): Promise<Course> {
  requireStaff(ctx, 'write')
  if (!isUid(input.courseUid)) throw new NotFound()
  return inTransaction(ctx, async (ctx) => {
    const courseUid = input.courseUid.toLowerCase()
    const isRestored = await setDeleted(ctx, courseUid, false, daysAgo(ctx, restorableDays))
    if (isRestored) await record(ctx, courseUid, { action: 'course.restored' })
    return getCourse(ctx, { courseUid })
  })
}

/** The job: removes courses that were deleted more than thirty days ago. */
export async function purgeDeletedCourses(ctx: SystemCtx): Promise<void> {
  // A restore that began in time must commit before the purge may begin.
  await ctx.db
    .deleteFrom('courses')
    .where('deleted_at', '<=', daysAgo(ctx, restorableDays + 1 / 24))
    .execute()
}

async function lockCourse(ctx: Ctx, courseUid: string): Promise<LockedCourse> {
  const course = isUid(courseUid) ? await lockCourseOfSite(ctx, courseUid.toLowerCase()) : undefined
  if (!course) throw new NotFound()
  return course
}

/** Writes an audit entry and queues indexing: every change that is logged can also change what search finds. */
async function record(ctx: Ctx, uid: string, entry: Pick<NewAuditEntry, 'action' | 'before' | 'after'>): Promise<void> {
  await recordAudit(ctx, { entity: 'course', entityUid: uid, ...entry })
  await queueIndexing(ctx, { kind: 'course', uids: [uid] })
}
