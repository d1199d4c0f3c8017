/** A whole course by whoever owns the installation, for seeds: by the rules of the form, in one transaction. */
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import { courseForm } from '~/forms/courses.ts'
import { uploadRules } from '~/forms/uploads.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { setPlans, setTags, unknownPlan } from '../access/parts-writes.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import type { Ctx } from '../context.ts'
import { NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { createStoredFile, receiveFile } from '../storage/files.server.ts'
import { createDerivative, makeCover } from '../storage/images.server.ts'
import { ensureTags } from '../tags/tags.server.ts'
import { insertCourse, insertVersion, lockCourseOfSite, setCover, setPublishedVersion } from './writes.server.ts'

export type OperatorCourse = z.input<typeof courseForm> & {
  /** Decides whether the course is there already; then nothing of it is changed. */
  uid: string
  /** A PNG. */
  cover: Readable
  publish: boolean
}

export async function createCourseAsOperator(ctx: Ctx, input: OperatorCourse): Promise<{ courseUid: string }> {
  // Asked first only to spare the work: the insert decides.
  const isThere = await inTransaction(ctx, async (ctx) => (await lockCourseOfSite(ctx, input.uid)) !== undefined)
  if (isThere) return { courseUid: input.uid }
  const values = parseInput(courseForm, input)
  // The file's row comes before the transaction, where the picture for others is made of it; without a course it is swept after a day.
  const cover = await receiveFile(input.cover, {
    kind: 'cover_img',
    fileName: 'cover.png',
    contentType: 'image/png',
    maxBytes: uploadRules.cover_img.maxBytes,
  })
  await createStoredFile(ctx, cover)
  const derivative = await makeCover(ctx, { fileUid: cover.uid })
  await inTransaction(ctx, async (ctx) => {
    if (!(await insertCourse(ctx, { uid: input.uid, ...values }))) return
    const course = await lockCourseOfSite(ctx, input.uid)
    if (!course) throw new NotFound()
    const owner = { kind: 'courses', uid: input.uid } as const
    if (!(await setPlans(ctx, owner, values.accessPlanUids))) throw unknownPlan()
    await setTags(ctx, owner, await ensureTags(ctx, { texts: values.tags }))
    await createDerivative(ctx, derivative)
    await setCover(ctx, course.id, derivative.originalUid)
    const versionId = await insertVersion(ctx, course.id, values.sections)
    if (input.publish) await setPublishedVersion(ctx, course.id, versionId)
    await recordAudit(ctx, { action: 'course.created', entity: 'course', entityUid: input.uid, after: values })
    await queueIndexing(ctx, { kind: 'course', uids: [input.uid] })
  })
  return { courseUid: input.uid }
}
