/** What the console's module dialog shows beside its form: versions, people in the module, and what there is to choose from. */

import { type FileInfo, listPicturesOf } from '../access/parts.server.ts'
import { listAccessPlans } from '../access/plans.server.ts'
import { countPeopleInModule, type PeopleInModule } from '../cmi5/cmi5.server.ts'
import type { Ctx } from '../context.ts'
import { listVersionsOfModules, type ModuleVersion } from '../modules/parts.server.ts'
import { getModuleToEdit, type ModuleToEdit } from '../modules/save-module.server.ts'
import { listChaptersOfSections, listSections } from '../sections/sections.server.ts'
import { listTagTexts } from '../tags/tags.server.ts'

type Choice = { value: string; label: string }
export type ModuleFormChoices = { sections: (Choice & { options: Choice[] })[]; plans: Choice[]; tags: string[] }

/** Sections with their chapters, plans and tags of the site; for forms of staff. */
export async function listModuleFormChoices(ctx: Ctx): Promise<ModuleFormChoices> {
  const [sections, plans, tags] = await Promise.all([listSections(ctx), listAccessPlans(ctx), listTagTexts(ctx)])
  const chapters = await listChaptersOfSections(
    ctx,
    sections.map(({ uid }) => uid),
  )
  const choice = ({ uid, name }: { uid: string; name: string }) => ({ value: uid, label: name })
  return {
    sections: sections.map((section) => ({
      ...choice(section),
      options: (chapters.get(section.uid) ?? []).map(choice),
    })),
    plans: plans.map(choice),
    tags,
  }
}

export type ModuleEditor = ModuleToEdit & {
  cover: FileInfo | null
  /** Newest first. */
  versions: ModuleVersion[]
  people: PeopleInModule
}

/** For admins and authors. */
export async function getModuleEditor(ctx: Ctx, input: { moduleUid: string }): Promise<ModuleEditor> {
  const edited = await getModuleToEdit(ctx, input)
  // As stored: an address may have it in capitals.
  const moduleUid = edited.module.uid
  const [covers, versions, people] = await Promise.all([
    listPicturesOf(ctx, 'modules', [moduleUid]),
    listVersionsOfModules(ctx, [moduleUid]),
    countPeopleInModule(ctx, { moduleUid }),
  ])
  return {
    ...edited,
    cover: covers.get(moduleUid) ?? null,
    versions: versions.get(moduleUid) ?? [],
    people,
  }
}
