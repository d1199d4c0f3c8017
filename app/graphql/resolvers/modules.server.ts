import type { GraphQLResolveInfo } from 'graphql'
import { chooseText } from '~/lib/language.ts'
import type { DefaultChapter } from '~/services/access/parts.server.ts'
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
import { countTags, deleteTags, listTags, type Tag } from '~/services/tags/tags.server.ts'
import { connection, type PageArguments } from '../connection.ts'
import type { GraphqlContext } from '../context.ts'
import { uidForRequest } from '../idempotency.ts'
import { fromGlobalId, toGlobalId } from '../ids.ts'

type ModuleChanges = Omit<ModuleUpdate, 'moduleUid'>
type WithId<Fields = unknown> = { data: { id: string } & Fields }

function moduleUidOf(id: string): string {
  const key = fromGlobalId(id)
  if (key?.type !== 'Module') throw new NotFound()
  return key.uid
}

/** The chapter of a module knows its section; one read from a section is handed that section. */
type ChapterNode = Chapter & { section: Pick<Section, 'uid'> }

export const moduleResolvers = {
  Query: {
    modules: async (_: unknown, { first, after }: PageArguments, { ctx }: GraphqlContext) => {
      const page = await listModules(ctx, { first, after })
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
    defaultChapter: (module: Module, _: unknown, { loaders }: GraphqlContext) => loaders.chapter.load(module.uid),
    coverImg: (module: Module, _: unknown, { loaders }: GraphqlContext) => loaders.cover.load(module.uid),
    latestVersion: (module: Module, _: unknown, { loaders }: GraphqlContext) =>
      module.currentVersionUid && loaders.version.load(module.currentVersionUid),
    versions: async (module: Module, _: unknown, { loaders }: GraphqlContext) =>
      (await loaders.versions.load(module.uid)) ?? [],
    accessPlans: async (module: Module, _: unknown, { loaders }: GraphqlContext) =>
      (await loaders.plans.load(module.uid)) ?? [],
    tags: async (module: Module, _: unknown, { loaders }: GraphqlContext) =>
      (await loaders.tags.load(module.uid)) ?? [],
    statistics: (module: Module, _: unknown, { loaders }: GraphqlContext) => loaders.statistics.load(module.uid),
  },
  ModuleVersion: {
    publishedTs: (version: ModuleVersion) => version.publishedAt,
    author: ({ author }: ModuleVersion) => author && { ...author, id: toGlobalId('User', author.uid) },
    cmi5: (version: ModuleVersion) => version.package,
    module: async (version: ModuleVersion, _: unknown, { loaders }: GraphqlContext) =>
      (await loaders.module.load(version.moduleUid)) ?? formerModule(version),
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
    id: (section: Section) => toGlobalId('Section', section.uid),
    chapters: async (section: Section, _: unknown, { loaders }: GraphqlContext) => {
      const chapters = (await loaders.chaptersOfSection.load(section.uid)) ?? []
      return chapters.map((chapter) => ({ ...chapter, section }))
    },
  },
  Chapter: {
    section: async (chapter: ChapterNode | DefaultChapter, _: unknown, { ctx }: GraphqlContext) =>
      'description' in chapter.section
        ? chapter.section
        : (await sectionsOf(ctx)).find((section) => section.uid === chapter.section.uid),
    defaultModules: async (chapter: Chapter, _: unknown, { loaders }: GraphqlContext) =>
      (await loaders.modulesOfChapter.load(chapter.uid)) ?? [],
  },
  Tag: {
    id: (tag: Tag) => toGlobalId('Tag', tag.uid),
  },
}

/** A module that its learner cannot see any more keeps its name in the learner's own history, and nothing else. */
export function formerModule({ moduleUid, moduleName }: Pick<ModuleVersion, 'moduleUid' | 'moduleName'>): Module {
  return {
    uid: moduleUid,
    name: moduleName,
    description: '',
    inSelfStudy: false,
    comingSoon: false,
    coverImgDesc: '',
    publishedVersionUid: null,
    currentVersionUid: null,
    isOpenable: false,
    updatedAt: new Date(0),
  }
}

const sectionsByContext = new WeakMap<object, Promise<Section[]>>()

/** A page of modules names its three sections over and over: read once for a request. */
function sectionsOf(ctx: GraphqlContext['ctx']): Promise<Section[]> {
  const known = sectionsByContext.get(ctx) ?? listSections(ctx)
  sectionsByContext.set(ctx, known)
  return known
}
