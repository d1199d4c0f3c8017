/**
 * Changes courses: for programs, which send only the fields that they change, and for the dialog, which sends all
 * fields. Texts, pictures, plans and tags are live at once. Sections are versioned: the first change after the course
 * was published opens the next version as a draft, and learners keep the published one.
 */
import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { type CourseField, type CourseValues, courseChanges, courseFieldLabels, courseForm } from '~/forms/courses.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { findKnownParts, goneSentence, withoutGoneParts } from '../access/known-parts.server.ts'
import { setPlans, setTags } from '../access/parts-writes.server.ts'
import { listAccessPlans } from '../access/plans.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import {
  changedFields,
  mergeSave,
  parseRestored,
  pickFields,
  planRestore,
  type RestoredRevision,
  type RestoreInput,
  type RestorePlan,
  type Revised,
} from '../revisions.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { keepReplacedFiles } from '../storage/sweep.server.ts'
import { ensureTags } from '../tags/tags.server.ts'
import { type Pictures, preparePictures, recordPictures } from './course-pictures.server.ts'
import { type CourseState, orderedFields, readCourseState, withPartUids } from './course-state.server.ts'
import { type Course, getCourse } from './courses.server.ts'
import { changeStatus } from './publish-course.server.ts'
import {
  insertVersion,
  type LockedCourse,
  lockCourseOfSite,
  raiseRevision,
  replaceSections,
  setPictures,
  updateTexts,
  wasPublished,
} from './writes.server.ts'

export type CourseUpdate = z.input<typeof courseChanges> & { courseUid: string; status?: string | null }

/** Changes only the given fields. `status` publishes or unpublishes. */
export async function updateCourse(ctx: Ctx, input: CourseUpdate): Promise<Course> {
  requireStaff(ctx, 'write')
  const values = parseInput(courseChanges, input)
  const changes = withPartUids(
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<CourseState>,
  )
  const status = parseStatus(input.status)
  return change(ctx, input.courseUid, { status }, async () => changes)
}

/** `keptOfOthers`: the fields that somebody else changed meanwhile and this form did not. */
type SavedCourse = { course: Course; keptOfOthers: CourseField[] }

/**
 * Saves the dialog's form, which holds all fields and the revision they were read at. Throws ChangedMeanwhile if
 * somebody else has changed a field that this form changes too.
 */
export async function saveCourse(
  ctx: Ctx,
  input: z.input<typeof courseForm> & { courseUid: string; revision: number },
): Promise<SavedCourse> {
  requireStaff(ctx, 'write')
  const mine = withPartUids(parseInput(courseForm, input))
  let keptOfOthers: CourseField[] = []
  const course = await change(ctx, input.courseUid, {}, async (ctx, now) => {
    const merged = await mergeSave<CourseState>(ctx, {
      entity: 'course',
      entityUid: now.courseUid,
      subject: 'this course',
      now,
      revision: input.revision,
      mine,
      ordered: orderedFields,
      describe: (field, state, base) => describeField(ctx, field, state, base),
    })
    keptOfOthers = merged.keptOfOthers
    return merged.changes
  })
  return { course, keptOfOthers }
}

/** Returns whether the form matches what is stored. Publishing uses the stored course. */
export async function isCourseSaved(
  ctx: Ctx,
  input: z.input<typeof courseForm> & { courseUid: string },
): Promise<boolean> {
  const { state } = await getCourseToEdit(ctx, input)
  const values = courseForm.safeParse(input)
  return values.success && changedFields<CourseState>(state, withPartUids(values.data), orderedFields).length === 0
}

export type CourseToEdit = { course: Course; state: CourseState; revision: number }

/** Returns the stored values for the dialog and the revision that it sends back with them. */
export async function getCourseToEdit(ctx: Ctx, input: { courseUid: string }): Promise<CourseToEdit> {
  requireStaff(ctx)
  const course = await getCourse(ctx, input)
  return { course, ...(await readCourseState(ctx, course.uid)) }
}

/** Says what `restoreCourseRevision` would change. */
export async function planCourseRestore(
  ctx: Ctx,
  input: { uid: string; revision: number },
): Promise<RestorePlan<CourseState>> {
  const { course, ...now } = await getCourseToEdit(ctx, { courseUid: input.uid })
  return planRestoreOf(ctx, { ...now, courseUid: course.uid }, input)
}

/**
 * Saves a course as it was at an earlier revision, with what still exists. Sections that change become the next version,
 * as in every save. Repeating it changes nothing.
 */
export async function restoreCourseRevision(ctx: Ctx, input: RestoreInput): Promise<RestoredRevision> {
  requireStaff(ctx, 'write')
  let plan: RestorePlan<CourseState> | null = null
  const course = await change(ctx, input.uid, { isFromHistory: true }, async (ctx, now) => {
    plan = await planRestoreOf(ctx, now, input)
    return parseRestored(courseChanges, plan.changes, courseFieldLabels) as Partial<CourseState>
  })
  const { changes = {}, leftOut = [] } = (plan ?? {}) as Partial<RestorePlan<CourseState>>
  return { name: course.name, isChanged: Object.keys(changes).length > 0, leftOut }
}

function planRestoreOf(
  ctx: Ctx,
  now: Revised<CourseState> & { courseUid: string },
  { revision, opened }: Omit<RestoreInput, 'uid'>,
): Promise<RestorePlan<CourseState>> {
  return planRestore<CourseState>(ctx, {
    entity: 'course',
    entityUid: now.courseUid,
    now,
    revision,
    opened,
    ordered: orderedFields,
    adapt: async (then) => {
      const files = { coverImg: 'cover image', bannerImg: 'banner image' }
      const shared = await withoutGoneParts(ctx, { earlier: then, now: now.state, files })
      const sections = await withoutGoneModules(ctx, then.sections)
      return {
        state: { ...shared.state, sections: sections.sections },
        leftOut: [...shared.leftOut, ...sections.leftOut],
      }
    },
  })
}

async function withoutGoneModules(ctx: Ctx, sections: CourseValues['sections']) {
  const chapters = sections.flatMap((section) => section.chapters)
  const uids = chapters.flatMap(({ moduleUids }) => moduleUids)
  const { modules } = await findKnownParts(ctx, { modules: uids })
  const isThere = (uid: string) => modules.get(uid)?.isThere === true
  const gone = uids.filter((uid) => !isThere(uid))
  const names = gone.flatMap((uid) => modules.get(uid)?.name ?? [])
  return {
    sections: sections.map((section) => ({
      ...section,
      chapters: section.chapters.map((chapter) => ({ ...chapter, moduleUids: chapter.moduleUids.filter(isThere) })),
    })),
    leftOut: gone.length > 0 ? [goneSentence(gone.length, 'module', 'modules', names)] : [],
  }
}

type Status = 'draft' | 'published'

function parseStatus(status: string | null | undefined): Status | undefined {
  if (status === undefined || status === null) return undefined
  if (status === 'draft' || status === 'published') return status
  const sentence = 'The status must be draft or published'
  throw new Invalid(sentence, { status: sentence })
}

/** Chooses the values to write. It runs twice: before the lock, to prepare pictures, and again under the lock. */
type Choose = (ctx: Ctx, now: Revised<CourseState> & { courseUid: string }) => Promise<Partial<CourseState>>

/** `isFromHistory`: the values are those of an earlier revision. */
type To = { status?: Status; isFromHistory?: boolean }

async function change(ctx: Ctx, courseUid: string, to: To, choose: Choose): Promise<Course> {
  const { isFromHistory } = to
  // Pictures take time to make, so they are made before the transaction that holds the lock.
  const planned = await inTransaction(ctx, (ctx) => chooseChanges(ctx, courseUid, choose))
  const pictures = await preparePictures(ctx, planned.changes, { isFromHistory })
  return inTransaction(ctx, async (ctx) => {
    const { course, changes, before } = await chooseChanges(ctx, courseUid, choose)
    await writeCourse(ctx, course, changes, { pictures, before, isFromHistory })
    if (to.status) {
      const now = await lockCourseOfSite(ctx, course.uid)
      if (now) await changeStatus(ctx, now, { publish: to.status === 'published' })
    }
    return getCourse(ctx, { courseUid: course.uid })
  })
}

async function chooseChanges(ctx: Ctx, courseUid: string, choose: Choose) {
  const course = isUid(courseUid) ? await lockCourseOfSite(ctx, courseUid.toLowerCase()) : undefined
  if (!course) throw new NotFound()
  const now = await readCourseState(ctx, course.uid)
  const chosen = await choose(ctx, { ...now, courseUid: course.uid })
  const fields = changedFields(now.state, chosen, orderedFields)
  return { course, changes: pickFields(chosen, fields), before: now.state }
}

const pictureFields = ['coverImg', 'bannerImg'] as const

/** Writes the changed fields. Call it in a transaction, with the course locked. */
async function writeCourse(
  ctx: Ctx,
  course: LockedCourse,
  changes: Partial<CourseState>,
  how: { pictures: Pictures; before: CourseState; isFromHistory?: boolean },
): Promise<void> {
  const fields = Object.keys(changes) as CourseField[]
  if (fields.length === 0) return
  await updateTexts(ctx, course.id, changes)
  const owner = { kind: 'courses', uid: course.uid } as const
  if (changes.tags) await setTags(ctx, owner, await ensureTags(ctx, { texts: changes.tags }))
  if (changes.accessPlanUids && !(await setPlans(ctx, owner, changes.accessPlanUids))) {
    const message = 'One of the groups no longer exists.'
    throw new Invalid(message, { accessPlanUids: message })
  }
  const { isFromHistory } = how
  await setPictures(ctx, course.id, await recordPictures(ctx, changes, how.pictures, { isFromHistory }))
  if (changes.sections) await writeSections(ctx, course, changes.sections)
  await keepReplacedFiles(
    ctx,
    pictureFields.map((field) => (changes[field] === undefined ? null : how.before[field])),
  )
  const revision = await raiseRevision(ctx, course.id)
  await recordAudit(ctx, {
    action: isFromHistory ? 'course.revision_restored' : 'course.updated',
    entity: 'course',
    entityUid: course.uid,
    before: pickFields(how.before, fields),
    after: { ...changes, revision },
  })
  await queueIndexing(ctx, { kind: 'course', uids: [course.uid] })
}

async function writeSections(ctx: Ctx, course: LockedCourse, sections: CourseValues['sections']): Promise<void> {
  const { id, latestVersionId, publishedVersionId } = course
  const isDraft = latestVersionId !== null && latestVersionId !== publishedVersionId
  if (isDraft && !(await wasPublished(ctx, latestVersionId))) {
    await replaceSections(ctx, { id, versionId: latestVersionId }, sections)
  } else await insertVersion(ctx, id, sections)
}

/** Tells a person whose form has another value what the field is now. */
async function describeField(
  ctx: Ctx,
  field: CourseField,
  now: CourseState,
  base: CourseState | null,
): Promise<string> {
  if (field === 'coverImg' || field === 'bannerImg') {
    return `There is a different ${courseFieldLabels[field].toLowerCase()} now.`
  }
  if (field === 'sections') return describeSections(now.sections, base?.sections ?? null)
  if (field === 'showsTerms') return now.showsTerms ? 'It is now checked.' : 'It is now unchecked.'
  const text = field === 'accessPlanUids' ? await planNames(ctx, now.accessPlanUids) : textOf(field, now)
  return text ? `It is now “${text}”.` : 'It is empty now.'
}

/** Names the sections of a course, and what is different in them. */
function describeSections(now: CourseValues['sections'], base: CourseValues['sections'] | null): string {
  const quoted = (sections: CourseValues['sections']) => sections.map(({ name }) => `“${name}”`).join(', ')
  const names = now.length === 0 ? 'There are no sections now.' : `The sections are now ${quoted(now)}.`
  if (!base) return names
  const lacking = (of: CourseValues['sections'], others: CourseValues['sections']) =>
    of.filter(({ name }) => !others.some((other) => other.name === name))
  const changed = now.filter(({ name, ...rest }) => {
    const before = base.find((other) => other.name === name)
    return before && !isDeepStrictEqual({ ...before, name: '' }, { ...rest, name: '' })
  })
  const parts = [
    ['New', lacking(now, base)],
    ['Removed', lacking(base, now)],
    ['Changed inside', changed],
  ] as const
  return [names, ...parts.filter(([, of]) => of.length > 0).map(([what, of]) => `${what}: ${quoted(of)}.`)].join(' ')
}

async function planNames(ctx: Ctx, uids: string[]): Promise<string> {
  const plans = await listAccessPlans(ctx)
  return plans.flatMap(({ uid, name }) => (uids.includes(uid) ? [name] : [])).join(', ')
}

type TextField = Exclude<CourseField, 'coverImg' | 'bannerImg' | 'sections' | 'showsTerms' | 'accessPlanUids'>

function textOf(field: TextField, now: CourseState): string | null {
  if (field === 'tags') return now.tags.join(', ')
  if (field === 'learningObjectives') return now.learningObjectives.join('; ')
  if (field === 'durationMinutes') return now.durationMinutes === null ? null : `${now.durationMinutes} min`
  return now[field]
}
