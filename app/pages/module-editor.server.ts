/**
 * The module dialog of the console: the form's values, the versions, the people in the module, and the choices of the
 * form.
 */

import type { ModuleChoices, ModuleFiles, SavedModuleView, VersionView } from '~/components/console/modules/view.ts'
import { writeTags } from '~/forms/tags.ts'
import { formatMoment } from '~/lib/dates.ts'
import { aboutMinutes } from '~/lib/duration.ts'
import { fileAddress } from '~/lib/file-address.ts'
import { formatFileSize } from '~/lib/file-size.ts'
import { type FileInfo, listPartsOf } from '~/services/access/parts.server.ts'
import { countPeopleInModule, type PeopleInModule } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import type { ModuleState } from '~/services/modules/module-state.server.ts'
import { statusOfModule } from '~/services/modules/modules.server.ts'
import { listVersionsOfModules, type ModuleVersion } from '~/services/modules/parts.server.ts'
import { getModuleToEdit, type ModuleToEdit } from '~/services/modules/save-module.server.ts'
import { listChaptersOfSections, listSections } from '~/services/sections/sections.server.ts'
import { choiceOf, listFormChoices, sentFileOf } from './content-forms.server.ts'

/** Lists the site's sections with their chapters, its plans and its tags, for forms of staff. */
export async function listModuleFormChoices(ctx: Ctx): Promise<ModuleChoices> {
  const [sections, choices] = await Promise.all([listSections(ctx), listFormChoices(ctx)])
  const chapters = await listChaptersOfSections(
    ctx,
    sections.map(({ uid }) => uid),
  )
  return {
    sections: sections.map((section) => ({
      ...choiceOf(section),
      options: (chapters.get(section.uid) ?? []).map(choiceOf),
    })),
    ...choices,
  }
}

type ModuleEditor = ModuleToEdit & {
  cover: FileInfo | null
  /** Newest first. */
  versions: ModuleVersion[]
  people: PeopleInModule
}

/** Reads everything that the dialog shows. For admins and authors. */
export async function getModuleEditor(ctx: Ctx, input: { moduleUid: string }): Promise<ModuleEditor> {
  const edited = await getModuleToEdit(ctx, input)
  // The uid as stored; the address may have it in capitals.
  const moduleUid = edited.module.uid
  const [parts, versions, people] = await Promise.all([
    listPartsOf(ctx, 'modules', [moduleUid], ['cover']),
    listVersionsOfModules(ctx, [moduleUid]),
    countPeopleInModule(ctx, { moduleUid }),
  ])
  return {
    ...edited,
    cover: parts.get(moduleUid)?.cover ?? null,
    versions: versions.get(moduleUid) ?? [],
    people,
  }
}

export function savedModuleView(ctx: Ctx, editor: ModuleEditor): SavedModuleView {
  const { module } = editor
  const versions = editor.versions.map((version) => versionView(ctx, version, module.currentVersionUid))
  return {
    uid: module.uid,
    name: module.name,
    status: statusOfModule(module),
    isComingSoon: module.comingSoon,
    estimate: aboutMinutes(module.estimatedMinutes),
    revision: editor.revision,
    latest: versions.find(({ isLatest }) => isLatest) ?? null,
    versions,
    people: editor.people,
  }
}

function versionView(ctx: Ctx, version: ModuleVersion, latestUid: string | null): VersionView {
  const { author, package: pkg } = version
  const moment = (date: Date) => formatMoment(date, ctx.site.timeZone)
  return {
    uid: version.uid,
    label: `v${version.version}`,
    status: version.status,
    isLatest: version.uid === latestUid,
    author: author ? `${author.firstName} ${author.lastName}`.trim() || author.email : null,
    changedOn: moment(version.changedAt),
    publishedOn: version.publishedAt ? moment(version.publishedAt) : null,
    file: pkg?.zipFile
      ? {
          name: pkg.zipFile.originalFileName,
          address: fileAddress(pkg.zipFile.name),
          size: formatFileSize(pkg.zipFile.size),
        }
      : null,
    package: pkg ? { status: pkg.status, message: pkg.lastMsg } : null,
  }
}

/** Returns the form's fields in the form in which the page sends them back. */
export function moduleFormValues(state: ModuleState) {
  const { inSelfStudy, comingSoon, showsTerms, tags, ...values } = state
  return {
    ...values,
    coverImg: state.coverImg ?? '',
    cmi5Zip: state.cmi5Zip ?? '',
    chapterUid: state.chapterUid ?? '',
    durationMinutes: state.durationMinutes === null ? '' : String(state.durationMinutes),
    tags: writeTags(tags),
    ...(inSelfStudy && { inSelfStudy: 'on' }),
    ...(comingSoon && { comingSoon: 'on' }),
    ...(showsTerms && { showsTerms: 'on' }),
  }
}

export function moduleFileValues(editor: Pick<ModuleEditor, 'cover' | 'versions' | 'module'>): ModuleFiles {
  const latest = editor.versions.find(({ uid }) => uid === editor.module.currentVersionUid)
  return { coverImg: sentFileOf(editor.cover), cmi5Zip: sentFileOf(latest?.package?.zipFile ?? null) }
}
