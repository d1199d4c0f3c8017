/** Creates and changes modules as authors do: through public service functions, with their own files. */
import { randomUUID } from 'node:crypto'
import type { Ctx, GroupName } from '~/services/context.ts'
import { ServiceError } from '~/services/errors.ts'
import type { NewModule } from '~/services/modules/create-module.server.ts'
import { finishPackage } from '~/services/modules/finish-package.server.ts'
import { getModule } from '~/services/modules/modules.server.ts'
import { listModuleVersions } from '~/services/modules/parts.server.ts'
import { getModuleToEdit, saveModule } from '~/services/modules/save-module.server.ts'
import type { Database } from '~db/client.server.ts'
import { aCover, aZip } from './attachments.ts'
import { aContext, aUser } from './context.ts'

/** A person in these groups, without a plan. */
export async function aMember(
  db: Database,
  groups: GroupName[],
  options: { site?: 'institutional' | 'ns'; firstName?: string } = {},
): Promise<Ctx> {
  const { site = 'institutional', firstName } = options
  return aContext(db, { site, viewer: await aUser(db, { site, groups, plan: null, firstName }) })
}

export async function planUid(ctx: Ctx, name = 'Full Access'): Promise<string> {
  const plan = await ctx.db
    .selectFrom('access_plans')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return plan.uid
}

export async function chapterUid(ctx: Ctx, position = 0): Promise<string> {
  const chapter = await ctx.db
    .selectFrom('chapters')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .orderBy('id')
    .offset(position)
    .limit(1)
    .executeTakeFirstOrThrow()
  return chapter.uid
}

/** Every field that the form requires, with the viewer's own files. */
export async function moduleValues(ctx: Ctx, changes: Partial<NewModule> = {}): Promise<NewModule> {
  return {
    name: `Module ${randomUUID().slice(0, 8)}`,
    description: 'What it is about',
    coverImg: (await aCover(ctx)).name,
    coverImgDesc: 'A plate',
    accessPlanUids: [await planUid(ctx)],
    tags: ['Screening', 'Assays'],
    chapterUid: await chapterUid(ctx),
    durationMinutes: null,
    inSelfStudy: true,
    comingSoon: false,
    showsTerms: true,
    cmi5Zip: (await aZip(ctx)).name,
    ...changes,
  }
}

export async function latestPackage(ctx: Ctx, moduleUid: string) {
  const module = await getModule(ctx, { moduleUid })
  const version = (await listModuleVersions(ctx, [module.currentVersionUid ?? ''])).get(module.currentVersionUid ?? '')
  if (!version?.package) throw new Error('The module has no package')
  return { ...version.package, version: version.version }
}

export async function parseLatest(ctx: Ctx, moduleUid: string): Promise<void> {
  await finishPackage(ctx, { packageUid: (await latestPackage(ctx, moduleUid)).uid })
}

export async function refusalOf(promise: Promise<unknown>): Promise<ServiceError> {
  return promise.then(
    () => {
      throw new Error('It was not refused')
    },
    (error: unknown) => {
      if (error instanceof ServiceError) return error
      throw error
    },
  )
}

/** The dialog: the values that it was opened with, and a way to post it. */
export async function openForm(ctx: Ctx, moduleUid: string) {
  const { state, revision } = await getModuleToEdit(ctx, { moduleUid })
  const form = { ...state, coverImg: state.coverImg ?? '' }
  return {
    form,
    save: (changes: Partial<typeof form>) => saveModule(ctx, { ...form, ...changes, moduleUid, revision }),
  }
}
