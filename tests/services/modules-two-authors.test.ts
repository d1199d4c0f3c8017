/** Two people have one module open: which changes are kept, and which are asked about. */
import { describe, expect, test } from 'vitest'
import { Forbidden, NotFound } from '~/services/errors.ts'
import { createModule } from '~/services/modules/create-module.server.ts'
import type { ModuleState } from '~/services/modules/module-state.server.ts'
import { getModuleToEdit, saveModule, updateModule } from '~/services/modules/save-module.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { aZip } from '../support/attachments.ts'
import { aContext, aUser } from '../support/context.ts'
import { aMember, moduleValues, openForm, parseLatest, refusalOf } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'
import { db } from '../support/test.ts'

aStorage()

describe('two authors at once', () => {
  test('fields that only one of them changed are all kept', async () => {
    const [ada, lin] = [await aMember(db, ['authors']), await aMember(db, ['authors'])]
    const { uid } = await createModule(ada, await moduleValues(ada))
    const [one, two] = [await openForm(ada, uid), await openForm(lin, uid)]
    await one.save({ description: 'By Ada' })
    const saved = await two.save({ coverImgDesc: 'By Lin', tags: ['By Lin'] })
    expect(saved.keptOfOthers).toEqual(['description'])
    const { state } = await getModuleToEdit(ada, { moduleUid: uid })
    expect(state).toMatchObject({ description: 'By Ada', coverImgDesc: 'By Lin', tags: ['By Lin'] })
  })

  test('the second reads who changed the same field and how, and nothing is written', async () => {
    const [ada, lin] = [await aMember(db, ['authors'], { firstName: 'Zoë' }), await aMember(db, ['authors'])]
    const { uid } = await createModule(ada, await moduleValues(ada))
    const [one, two] = [await openForm(ada, uid), await openForm(lin, uid)]
    await one.save({ name: 'Name by Zoë', description: 'By Zoë' })
    const refusal = (await refusalOf(
      two.save({ name: 'Name by Lin', coverImgDesc: 'By Lin' }),
    )) as ChangedMeanwhile<ModuleState>
    expect(refusal).toBeInstanceOf(ChangedMeanwhile)
    expect(refusal.fieldErrors).toEqual({
      name: 'Zoë Okafor changed this while you were editing. It is now “Name by Zoë”. Save again to use yours.',
    })
    expect(refusal.takenOver).toEqual(['description'])
    expect((await getModuleToEdit(ada, { moduleUid: uid })).state.coverImgDesc).toBe('A plate')
    // Sent again with the values of the refusal, it is a decision.
    await saveModule(lin, {
      ...two.form,
      name: 'Name by Lin',
      coverImgDesc: 'By Lin',
      description: refusal.now.state.description,
      moduleUid: uid,
      revision: refusal.now.revision,
    })
    expect((await getModuleToEdit(ada, { moduleUid: uid })).state).toMatchObject({
      name: 'Name by Lin',
      description: 'By Zoë',
      coverImgDesc: 'By Lin',
    })
  })

  test('a person who changed the field in another window is told so', async () => {
    const ada = await aMember(db, ['authors'])
    const { uid } = await createModule(ada, await moduleValues(ada))
    const [one, two] = [await openForm(ada, uid), await openForm(ada, uid)]
    await one.save({ description: 'First' })
    const refusal = await refusalOf(two.save({ description: 'Second' }))
    expect(refusal).toMatchObject({
      message: 'You changed this module in another window. What you typed is still here.',
      fieldErrors: {
        description: 'You changed this in another window. It is now “First”. Save again to use yours.',
      },
    })
  })

  test('the same change by both is no conflict, and an unknown revision asks about every difference', async () => {
    const [ada, lin] = [await aMember(db, ['authors']), await aMember(db, ['authors'])]
    const { uid } = await createModule(ada, await moduleValues(ada))
    const [one, two] = [await openForm(ada, uid), await openForm(lin, uid)]
    await one.save({ name: 'Agreed' })
    await two.save({ name: 'Agreed' })
    const old = { ...two.form, name: 'From long ago', moduleUid: uid, revision: -1 }
    expect(await refusalOf(saveModule(lin, old))).toBeInstanceOf(ChangedMeanwhile)
  })

  test('of ten saves of one form at once one wins, and nobody overwrites silently', async () => {
    const ctx = await aMember(db, ['authors'])
    const { uid } = await createModule(ctx, await moduleValues(ctx))
    const form = await openForm(ctx, uid)
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => form.save({ description: `Text ${index}` })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ChangedMeanwhile)
    }
  })

  test('only staff of the site can save a form', async () => {
    const ctx = await aMember(db, ['authors'])
    const { uid } = await createModule(ctx, await moduleValues(ctx, { status: 'published' }))
    await parseLatest(ctx, uid)
    const { state, revision } = await getModuleToEdit(ctx, { moduleUid: uid })
    const form = { ...state, coverImg: state.coverImg ?? '', name: 'Mine', moduleUid: uid, revision }
    const learner = await aContext(db, { viewer: await aUser(db) })
    expect(await refusalOf(saveModule(learner, form))).toBeInstanceOf(Forbidden)
    expect(await refusalOf(saveModule(await aMember(db, ['admins'], { site: 'ns' }), form))).toBeInstanceOf(NotFound)
    expect(await refusalOf(saveModule(await aContext(db), form))).toMatchObject({ code: 'login_required' })
    expect(await getModuleToEdit(ctx, { moduleUid: uid })).toMatchObject({ state, revision })
  })

  test('a package that came meanwhile stays if the form did not change it', async () => {
    const [ada, lin] = [await aMember(db, ['authors']), await aMember(db, ['authors'])]
    const { uid } = await createModule(ada, await moduleValues(ada))
    await parseLatest(ada, uid)
    const old = await openForm(lin, uid)
    const zip = (await aZip(ada)).name
    await updateModule(ada, { moduleUid: uid, cmi5Zip: zip })
    await old.save({ description: 'By Lin' })
    expect((await getModuleToEdit(ada, { moduleUid: uid })).state).toMatchObject({
      cmi5Zip: zip,
      description: 'By Lin',
    })
  })
})
