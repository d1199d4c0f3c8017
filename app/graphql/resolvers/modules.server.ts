import type { GraphQLResolveInfo } from 'graphql'
import { chooseText } from '~/lib/language.ts'
import type { PartName } from '~/services/access/parts.server.ts'
import { NotFound } from '~/services/errors.ts'
import { createModule, type NewModule } from '~/services/modules/create-module.server.ts'
import {
  countModules,
  deleteModule,
  listModules,
  type Module,
  restoreModule,
} from '~/services/modules/modules.server.ts'
import { type ModulesOrder, updateModulesOrder } from '~/services/modules/order.server.ts'
import type { ModuleUnit, ModuleVersion } from '~/services/modules/parts.server.ts'
import { type ModuleUpdate, updateModule } from '~/services/modules/save-module.server.ts'
import { type Chapter, listSections, type Section } from '~/services/sections/sections.server.ts'
import { deleteTags } from '~/services/tags/change-tags.server.ts'
import { countTags, listTags, type Tag } from '~/services/tags/tags.server.ts'
import { connection, type PageArguments } from '../connection.ts'
import type { GraphqlContext } from '../context.ts'
import { uidForRequest } from '../idempotency.ts'
import { fromGlobalId, toGlobalId } from '../ids.ts'
import type { Loaders } from '../loaders.server.ts'
import { selectedFields } from '../selected-fields.ts'

type ModuleChanges = Omit<ModuleUpdate, 'moduleUid'>
type WithId<Fields = unknown> = { data: { id: string } & Fields }

function moduleUidOf(id: string): string {
  const key = fromGlobalId(id)
  if (key?.type !== 'Module') throw new NotFound()
  return key.uid
}

/** The section of a chapter comes with the chapter, but without its description. */
type SectionNode = Omit<Section, 'description'> & { description?: string }

export const moduleResolvers = {
  Query: {
    modules: async (
      _: unknown,
      { first, after }: PageArguments,
      { ctx, loaders }: GraphqlContext,
      info: GraphQLResolveInfo,
    ) => {
      const page = await listModules(ctx, { first, after })
      await readPartsAhead(loaders, page.items, selectedFields(info, 'edges', 'node'))
      return connection(page, () => countModules(ctx))
    },
    sections: (_: unknown, _input: unknown, { ctx }: GraphqlContext) => listSections(ctx),
    tags: async (_: unknown, { first, after }: PageArguments, { ctx }: GraphqlContext) => {
      const page = await listTags(ctx, { first, after })
      return connection(page, () => countTags(ctx))
    },
  },
  Mutation: {
    createModule: async (
      _: unknown,
      { data }: { data: NewModule },
      context: GraphqlContext,
      info: GraphQLResolveInfo,
    ) => ({
      module: await createModule(context.ctx, { ...data, uid: uidForRequest(context, info) }),
    }),
    updateModule: async (_: unknown, { data: { id, ...changes } }: WithId<ModuleChanges>, { ctx }: GraphqlContext) => ({
      module: await updateModule(ctx, { ...changes, moduleUid: moduleUidOf(id) }),
    }),
    deleteModule: async (_: unknown, { data }: WithId, { ctx }: GraphqlContext) => {
      const { uid } = await deleteModule(ctx, { moduleUid: moduleUidOf(data.id) })
      return { id: data.id, uid }
    },
    restoreModule: async (_: unknown, { data }: WithId, { ctx }: GraphqlContext) => ({
      module: await restoreModule(ctx, { moduleUid: moduleUidOf(data.id) }),
    }),
    updateModulesOrder: async (_: unknown, { data }: { data: ModulesOrder }, { ctx }: GraphqlContext) => ({
      sections: await updateModulesOrder(ctx, data),
    }),
    deleteTags: async (_: unknown, input: { tagsToDelete: string[] }, { ctx }: GraphqlContext) => ({
      tags: await deleteTags(ctx, input),
    }),
  },
  Module: {
    id: (module: Module) => toGlobalId('Module', module.uid),
    lastUpdatedTs: (module: Module) => module.updatedAt,
    defaultChapter: (module: Module, _: unknown, { loaders }: GraphqlContext) =>
      loaders.moduleParts.load(module.uid, 'chapter'),
    coverImg: (module: Module, _: unknown, { loaders }: GraphqlContext) =>
      loaders.moduleParts.load(module.uid, 'cover'),
    latestVersion: (module: Module, _: unknown, { loaders }: GraphqlContext) =>
      module.currentVersionUid && loaders.version.load(module.currentVersionUid),
    versions: async (module: Module, _: unknown, { loaders }: GraphqlContext) =>
      (await loaders.versions.load(module.uid)) ?? [],
    accessPlans: (module: Module, _: unknown, { loaders }: GraphqlContext) =>
      loaders.moduleParts.load(module.uid, 'plans'),
    tags: (module: Module, _: unknown, { loaders }: GraphqlContext) => loaders.moduleParts.load(module.uid, 'tags'),
    statistics: (module: Module, _: unknown, { loaders }: GraphqlContext) => loaders.statistics.load(module.uid),
  },
  ModuleVersion: {
    publishedTs: (version: ModuleVersion) => version.publishedAt,
    author: ({ author }: ModuleVersion) => author && { ...author, id: toGlobalId('User', author.uid) },
    cmi5: (version: ModuleVersion) => version.package,
    module: (version: ModuleVersion, _: unknown, { loaders }: GraphqlContext) => {
      const module = loaders.module.load(version.moduleUid)
      return module instanceof Promise
        ? module.then((found) => found ?? formerModule(version))
        : (module ?? formerModule(version))
    },
    units: async (version: ModuleVersion, _: unknown, { loaders }: GraphqlContext) =>
      (await loaders.units.load(version.uid)) ?? [],
  },
  ModuleUnit: {
    title: (unit: ModuleUnit, _: unknown, { language }: GraphqlContext) => chooseText(unit.title, language),
  },
  Cmi5Package: {
    zipPath: (pkg: NonNullable<ModuleVersion['package']>) => pkg.zipFile,
  },
  Section: {
    id: (section: SectionNode) => toGlobalId('Section', section.uid),
    description: async (section: SectionNode, _: unknown, { loaders }: GraphqlContext) =>
      section.description ?? (await loaders.section.load(section.uid))?.description,
    chapters: async (section: SectionNode, _: unknown, { loaders }: GraphqlContext) => {
      const chapters = (await loaders.chaptersOfSection.load(section.uid)) ?? []
      return chapters.map((chapter) => ({ ...chapter, section }))
    },
  },
  Chapter: {
    defaultModules: async (chapter: Chapter, _: unknown, { loaders }: GraphqlContext) =>
      (await loaders.modulesOfChapter.load(chapter.uid)) ?? [],
  },
  Tag: {
    id: (tag: Tag) => toGlobalId('Tag', tag.uid),
  },
}

/** A module that its learner can no longer see. It keeps only its name, for the learner's own history. */
export function formerModule({ moduleUid, moduleName }: Pick<ModuleVersion, 'moduleUid' | 'moduleName'>): Module {
  return {
    uid: moduleUid,
    name: moduleName,
    description: '',
    inSelfStudy: false,
    comingSoon: false,
    showsTerms: true,
    coverImgDesc: '',
    durationMinutes: null,
    estimatedMinutes: null,
    publishedVersionUid: null,
    currentVersionUid: null,
    isOpenable: false,
    updatedAt: new Date(0),
  }
}

/** The part that each field of a module comes from. */
const partOfField: Partial<Record<string, PartName>> = {
  defaultChapter: 'chapter',
  coverImg: 'cover',
  accessPlans: 'plans',
  tags: 'tags',
}

/** Reads the requested parts of all modules of a page in advance, so that no field waits for a query of its own. */
async function readPartsAhead(loaders: Loaders, modules: Module[], fields: Set<string>): Promise<void> {
  if (modules.length === 0) return
  const uids = modules.map(({ uid }) => uid)
  for (const module of modules) loaders.module.keep(module.uid, module)
  const versionUids = modules.flatMap(({ currentVersionUid }) => currentVersionUid ?? [])
  await Promise.all([
    loaders.moduleParts.readAhead(
      uids,
      [...fields].flatMap((field) => partOfField[field] ?? []),
    ),
    fields.has('statistics') && loaders.statistics.readAhead(uids),
    fields.has('versions') && loaders.versions.readAhead(uids),
    fields.has('latestVersion') && loaders.version.readAhead(versionUids),
  ])
}
