/** The course dialog of the console: the form's values, the outline with its modules, and what removing would mean. */
import type { BuilderModule, CourseChoices, CourseFiles, SavedCourseView } from '~/components/console/courses/view.ts'
import { modulesOf, type Outline } from '~/forms/course-outline.ts'
import { writeTags } from '~/forms/tags.ts'
import { fileAddress } from '~/lib/file-address.ts'
import { type FileInfo, listPartsOf } from '~/services/access/parts.server.ts'
import { listAccessPlans } from '~/services/access/plans.server.ts'
import type { Ctx } from '~/services/context.ts'
import type { CourseState } from '~/services/courses/course-state.server.ts'
import { type CourseToEdit, getCourseToEdit } from '~/services/courses/save-course.server.ts'
import { listCourseEntries } from '~/services/courses/table.server.ts'
import { listModuleEntries, type ModuleEntry } from '~/services/modules/table-entries.server.ts'
import type { CourseConsequences } from '~/services/read/consequences.server.ts'
import { listTagTexts } from '~/services/tags/tags.server.ts'
import { inProgressInWords, recordsInWords } from './consequences.server.ts'

/** Lists the site's plans and tags, for the form. */
export async function listCourseFormChoices(ctx: Ctx): Promise<CourseChoices> {
  const [plans, tags] = await Promise.all([listAccessPlans(ctx), listTagTexts(ctx)])
  return { plans: plans.map(({ uid, name }) => ({ value: uid, label: name })), tags }
}

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
  const [parts, [entry], modules] = await Promise.all([
    listPartsOf(ctx, 'courses', [uid], ['cover', 'banner']),
    listCourseEntries(ctx, [uid]),
    listBuilderModules(ctx, modulesOf(outlineOf(edited.state))),
  ])
  const { version = null, publishedVersion = null } = entry ?? {}
  return {
    ...edited,
    view: {
      uid,
      status: version !== null && version === publishedVersion ? 'published' : 'draft',
      latest: version === null ? null : `v${version}`,
      live: publishedVersion === null ? null : `v${publishedVersion}`,
      revision: edited.revision,
    },
    files: { coverImg: fileOf(parts.get(uid)?.cover), bannerImg: fileOf(parts.get(uid)?.banner) },
    modules,
  }
}

function fileOf(file: FileInfo | null | undefined) {
  if (!file) return null
  const { name, originalFileName, size } = file
  return { name, originalFileName, size, url: fileAddress(name) }
}

/** Reads the modules of a builder with their status and plans, by uid. Modules that are gone are missing. */
export async function listBuilderModules(ctx: Ctx, moduleUids: string[]): Promise<Record<string, BuilderModule>> {
  const entries = await listModuleEntries(ctx, moduleUids)
  return Object.fromEntries(entries.map((entry) => [entry.uid, builderModuleOf(entry)]))
}

export function builderModuleOf({ uid, name, version, publishedVersion, plans }: ModuleEntry): BuilderModule {
  return {
    uid,
    name,
    status: publishedVersion !== null ? 'published' : 'draft',
    isBehind: version !== publishedVersion,
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
