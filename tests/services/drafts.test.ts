import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type DraftFields, draftKeyOf } from '~/forms/draft-fields.ts'
import type { Ctx } from '~/services/context.ts'
import {
  changeDraft,
  deleteDraft,
  deleteOldDrafts,
  findDraft,
  findNewDraft,
  keepDraft,
  listEndedDrafts,
  takeDraft,
} from '~/services/drafts/drafts.server.ts'
import { Invalid } from '~/services/errors.ts'
import { aContext, aUser } from '../support/context.ts'
import { db, expectGuarded } from '../support/test.ts'

let author: Ctx
let colleague: Ctx

beforeAll(async () => {
  author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'], plan: null }) })
  colleague = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
})

const now = () => author.now.getTime()
const aKey = (isNew = false) => draftKeyOf('course', { uid: randomUUID(), isNew })
const named = (name: string): DraftFields => [['name', name]]

async function nameIn(formKey: string, ctx = author): Promise<string | undefined> {
  return (await findDraft(ctx, { formKey }))?.fields.find(([name]) => name === 'name')?.[1]
}

test('a draft is kept with all its fields in order, and only its author finds it', async () => {
  const formKey = aKey()
  const fields: DraftFields = [
    ['name', 'Ünïcode 🧬'],
    ['accessPlanUids', 'a'],
    ['accessPlanUids', 'b'],
    ['revision', '3'],
  ]
  await keepDraft(author, { formKey, fields, typedAt: now() })
  expect(await findDraft(author, { formKey })).toEqual({ formKey, fields, typedAt: author.now })
  expect(await findDraft(colleague, { formKey })).toBeNull()
  await deleteDraft(colleague, { formKey })
  expect(await nameIn(formKey)).toBe('Ünïcode 🧬')
})

test('only staff of the site keep, find and delete drafts', async () => {
  const by = ['admins', 'authors'] as const
  const options = { by: [...by], elsewhere: null }
  const formKey = aKey()
  await expectGuarded(keepDraft, { formKey, fields: named('Mine'), typedAt: now() }, options)
  await expectGuarded(findDraft, { formKey }, options)
  await expectGuarded(findNewDraft, { kind: 'course' }, options)
  await expectGuarded(deleteDraft, { formKey }, options)
  await expectGuarded(takeDraft, { formKey }, options)
  await expectGuarded(listEndedDrafts, { formKeys: [formKey] }, options)
})

test('what was typed later stays, in whatever order ten requests arrive', async () => {
  const formKey = aKey()
  const typed = [3, 9, 1, 7, 5, 8, 2, 6, 4, 0]
  await Promise.all(
    typed.map((at) => keepDraft(author, { formKey, fields: named(String(at)), typedAt: now() - 10_000 + at })),
  )
  expect(await nameIn(formKey)).toBe('9')
})

test('a clock that is ahead does not keep later drafts out', async () => {
  const formKey = aKey()
  await keepDraft(author, { formKey, fields: named('From the future'), typedAt: now() + 86_400_000 })
  await keepDraft(author, { formKey, fields: named('Later'), typedAt: now() + 1 })
  expect(await nameIn(formKey)).toBe('Later')
})

test('what a button sends is kept, also if the clock of its browser is behind', async () => {
  const formKey = aKey()
  await keepDraft(author, { formKey, fields: named('Typed elsewhere'), typedAt: now() })
  await keepDraft(author, { formKey, fields: named('Pressed'), typedAt: now() - 180_000, isPressed: true })
  expect(await nameIn(formKey)).toBe('Pressed')
})

test('the form of a new thing that was saved or discarded stays without a draft, whatever arrives late', async () => {
  const formKey = aKey(true)
  const late = () => keepDraft(author, { formKey, fields: named('Late'), typedAt: now() })
  await late()
  expect((await findNewDraft(author, { kind: 'course' }))?.formKey).toBe(formKey)
  await Promise.all([deleteDraft(author, { formKey }), deleteDraft(author, { formKey })])
  await late()
  expect(await nameIn(formKey)).toBeUndefined()
  expect(await findNewDraft(author, { kind: 'course' })).toBeNull()
})

const hasEnded = async (ctx: Ctx, formKey: string) => (await listEndedDrafts(ctx, { formKeys: [formKey] })).length > 0

test('a draft that is taken while it is changed is taken whole, and what comes later begins anew', async () => {
  const formKey = aKey()
  const add = (name: string) =>
    changeDraft(author, { formKey, change: (fields) => [...(fields ?? []), ['name', name]] })
  const taken: (DraftFields | null)[] = []
  const work = Array.from({ length: 20 }, async (_, index) => {
    if (index % 4 === 3) taken.push(await takeDraft(author, { formKey }))
    else await add(String(index))
  })
  await Promise.all(work)
  taken.push(await takeDraft(author, { formKey }))
  const all = taken.flatMap((fields) => fields ?? []).map(([, name]) => name)
  expect(all.sort(), 'nothing is lost, and nothing is there twice').toEqual(
    Array.from({ length: 20 }, (_, index) => index)
      .filter((index) => index % 4 !== 3)
      .map(String)
      .sort(),
  )
  expect(await takeDraft(author, { formKey })).toBeNull()
  expect(await takeDraft(colleague, { formKey })).toBeNull()
})

test('a change that begins earlier and waits for another one is not lost', async () => {
  const formKey = aKey()
  const add = (ctx: Ctx, name: string) =>
    changeDraft(ctx, { formKey, change: (fields) => [...(fields ?? []), ['name', name]] })
  await add(author, 'second')
  await add({ ...author, now: new Date(author.now.getTime() - 1000) }, 'first')
  expect((await takeDraft(author, { formKey }))?.map(([, name]) => name)).toEqual(['second', 'first'])
})

test('a new thing whose text was taken back gets drafts again, but not after it was saved or discarded', async () => {
  const formKey = aKey(true)
  const typed = () => keepDraft(author, { formKey, fields: named('Typed'), typedAt: now() })
  await typed()
  await deleteDraft(author, { formKey, isOpen: true, typedAt: now() - 1 })
  expect(await nameIn(formKey), 'a late request leaves what was typed after it').toBe('Typed')
  await Promise.all(Array.from({ length: 10 }, () => deleteDraft(author, { formKey, isOpen: true })))
  expect([await nameIn(formKey), await hasEnded(author, formKey)]).toEqual([undefined, false])
  await typed()
  expect(await nameIn(formKey)).toBe('Typed')
  await deleteDraft(author, { formKey })
  await deleteDraft(author, { formKey, isOpen: true })
  await typed()
  expect([await nameIn(formKey), await hasEnded(author, formKey)]).toEqual([undefined, true])
  expect(await hasEnded(colleague, formKey), 'it is the form of one person').toBe(false)
  expect(await hasEnded(author, 'message:new:\0')).toBe(false)
})

test('ten deletions at once leave no draft, and those of other forms alone', async () => {
  const other = aKey()
  await keepDraft(author, { formKey: other, fields: named('Other'), typedAt: now() })
  for (const formKey of [aKey(), aKey(true)]) {
    await keepDraft(author, { formKey, fields: named('Saved'), typedAt: now() })
    await Promise.all(Array.from({ length: 10 }, () => deleteDraft(author, { formKey })))
    expect(await nameIn(formKey)).toBeUndefined()
  }
  expect(await nameIn(other)).toBe('Other')
})

test('an existing thing gets a draft again after its form was saved', async () => {
  const formKey = aKey()
  await keepDraft(author, { formKey, fields: named('First'), typedAt: now() })
  // Discarded in a browser whose clock is behind.
  await deleteDraft(author, { formKey, typedAt: now() - 180_000 })
  expect(await nameIn(formKey)).toBeUndefined()
  await keepDraft(author, { formKey, fields: named('Second'), typedAt: now() })
  expect(await nameIn(formKey)).toBe('Second')
})

test('of several new things of a kind, the one that was typed last is offered', async () => {
  const [older, newer, other] = [aKey(true), aKey(true), draftKeyOf('term', { uid: randomUUID(), isNew: true })]
  await keepDraft(author, { formKey: newer, fields: named('Newer'), typedAt: now() - 1000 })
  await keepDraft(author, { formKey: older, fields: named('Older'), typedAt: now() - 2000 })
  await keepDraft(author, { formKey: other, fields: named('Another kind'), typedAt: now() })
  expect((await findNewDraft(author, { kind: 'course' }))?.formKey).toBe(newer)
})

test('passwords, tokens and characters that cannot be stored are left out, and the rest is kept', async () => {
  const formKey = aKey()
  const fields: DraftFields = [
    ['csrf', 'secret'],
    ['newPassword', 'secret'],
    ['__rvfInternalFormId', 'x'],
    ['intent', 'save'],
    ['name', 'a\u0000b\ud800c'],
  ]
  await keepDraft(author, { formKey, fields: JSON.stringify(fields), typedAt: now() })
  expect((await findDraft(author, { formKey }))?.fields).toEqual([['name', 'abc']])
})

test('what no form sends is refused', async () => {
  const refused = (input: object) =>
    expect(
      keepDraft(author, { formKey: aKey(), fields: named('x'), typedAt: now(), ...input }),
      JSON.stringify(input).slice(0, 80),
    ).rejects.toThrow(Invalid)
  await refused({ formKey: 'course:1' })
  await refused({ formKey: `password:${randomUUID()}` })
  await refused({ formKey: `course:new:${randomUUID()}:more` })
  await refused({ fields: 'no JSON' })
  await refused({ fields: '{"name":"x"}' })
  await refused({ fields: [['name', 7]] as never })
  await refused({ fields: named('x'.repeat(900_001)) })
  await refused({ fields: Array.from({ length: 1001 }, (_, at) => [`name${at}`, 'x']) })
  await refused({ typedAt: Number.NaN })
  expect(await findDraft(author, { formKey: 'course:1' })).toBeNull()
  await deleteDraft(author, { formKey: "course:'" })
})

test('drafts are deleted after ninety days, and the oldest when somebody has more than two hundred', async () => {
  const formKey = aKey()
  const at = (days: number) => ({ ...author, now: new Date(now() - days * 86_400_000) })
  await keepDraft(at(91), { formKey, fields: named('Old'), typedAt: 0 })
  const recent = aKey()
  await keepDraft(at(89), { formKey: recent, fields: named('Recent'), typedAt: 0 })
  expect(await deleteOldDrafts(author)).toBe(1)
  expect(await nameIn(recent)).toBe('Recent')
  for (let i = 0; i < 200; i++) await keepDraft(author, { formKey: aKey(), fields: named('More'), typedAt: now() })
  expect(await nameIn(recent)).toBeUndefined()
  const { count } = await db
    .selectFrom('form_drafts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(count).toBe(200)
})
