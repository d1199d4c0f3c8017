/** The course dialog of the console: the form's values, the outline with its modules, and what removing would mean. */
import type { BuilderModule, CourseFiles, SavedCourseView } from '~/components/console/courses/view.ts'
import { modulesOf, type Outline } from '~/forms/course-outline.ts'
import { writeTags } from '~/forms/tags.ts'
import { listPartsOf } from '~/services/access/parts.server.ts'
import type { Ctx } from '~/services/context.ts'
import type { CourseState } from '~/services/courses/course-state.server.ts'
import { getCourse } from '~/services/courses/courses.server.ts'
import { type CourseToEdit, getCourseToEdit } from '~/services/courses/save-course.server.ts'
import { listCourseEntries } from '~/services/courses/table.server.ts'
import { listModuleEntries, type ModuleEntry } from '~/services/modules/table-entries.server.ts'
import type { CourseConsequences } from '~/services/read/consequences.server.ts'
import { inProgressInWords, recordsInWords } from './consequences.server.ts'
import { sentFileOf } from './content-forms.server.ts'

type CourseEditor = CourseToEdit & {
  view: SavedCourseView
  files: CourseFiles
  /** The modules of the outline, by uid. */
  modules: Record<string, BuilderModule>
}

/** Reads everything that the dialog shows. For staff. */
export async function getCourseEditor(ctx: Ctx, input: { courseUid: string }): Promise<CourseEditor> {
  const edited = await getCourseToEdit(ctx, input)
  // The uid as stored; the address may have it in capitals.
  const { uid } = edited.course
  const [files, status, modules] = await Promise.all([
    readCourseFiles(ctx, uid),
    readStatus(ctx, uid),
    listBuilderModules(ctx, modulesOf(outlineOf(edited.state))),
  ])
  return { ...edited, view: { ...status, revision: edited.revision }, files, modules }
}

/** A course as the question before publishing shows it. For staff. */
export async function getCourseView(ctx: Ctx, input: { courseUid: string }) {
  const course = await getCourse(ctx, input)
  return { course, view: await readStatus(ctx, course.uid) }
}

async function readStatus(ctx: Ctx, uid: string): Promise<Omit<SavedCourseView, 'revision'>> {
  const [entry] = await listCourseEntries(ctx, [uid])
  const { version = null, publishedVersion = null } = entry ?? {}
  return {
    uid,
    status: version !== null && version === publishedVersion ? 'published' : 'draft',
    latest: version === null ? null : `v${version}`,
    live: publishedVersion === null ? null : `v${publishedVersion}`,
  }
}

export async function readCourseFiles(ctx: Ctx, uid: string): Promise<CourseFiles> {
  const parts = (await listPartsOf(ctx, 'courses', [uid], ['cover', 'banner'])).get(uid)
  return { coverImg: sentFileOf(parts?.cover), bannerImg: sentFileOf(parts?.banner) }
}

/** Reads the modules of a builder with their status and plans, by uid. Modules that are gone are missing. */
export async function listBuilderModules(ctx: Ctx, moduleUids: string[]): Promise<Record<string, BuilderModule>> {
  const entries = await listModuleEntries(ctx, moduleUids)
  return Object.fromEntries(entries.map((entry) => [entry.uid, builderModuleOf(entry)]))
}

export function builderModuleOf({
  uid,
  name,
  version,
  publishedVersion,
  comingSoon,
  plans,
}: ModuleEntry): BuilderModule {
  return {
    uid,
    name,
    status: publishedVersion !== null ? 'published' : 'draft',
    isBehind: version !== publishedVersion,
    isComingSoon: comingSoon,
    planUids: plans.map((plan) => plan.uid),
    plans: plans.map((plan) => plan.name),
  }
}

/** The outline of a stored course, whose parts all have uids. */
export function outlineOf({ sections }: Pick<CourseState, 'sections'>): Outline {
  return sections.map((section) => ({
    ...section,
    uid: section.uid ?? '',
    chapters: section.chapters.map((chapter) => ({ ...chapter, uid: chapter.uid ?? '' })),
  }))
}

/** Returns the form's fields in the form in which the page sends them back, without the outline. */
export function courseFormValues(state: CourseState) {
  const { sections: _, learningObjectives, tags, durationMinutes, showsTerms, ...values } = state
  return {
    ...values,
    learningObjectives: learningObjectives.join('\n'),
    coverImg: state.coverImg ?? '',
    bannerImg: state.bannerImg ?? '',
    durationMinutes: durationMinutes === null ? '' : String(durationMinutes),
    tags: writeTags(tags),
    ...(showsTerms && { showsTerms: 'on' }),
  }
}

/** What the removal of a course means, one sentence each. */
export function consequencesInWords(consequences: CourseConsequences): string[] {
  const people = inProgressInWords(consequences, 'course')
  return [
    ...(people ? [`${people}. They can no longer open it; what they did in its modules is kept.`] : []),
    ...recordsInWords(consequences),
    'Its modules stay. You can undo this for thirty days.',
  ]
}
