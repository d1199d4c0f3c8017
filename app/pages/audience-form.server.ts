/** The dialog of an audience: its rows, the buttons that add and remove them, and the count of what is typed. */
import { randomUUID } from 'node:crypto'
import { type ActionFunctionArgs, data } from '@remix-run/node'
import type { AudienceFormView, ConditionRow, ReturnedRows } from '~/components/console/audiences/view.ts'
import {
  addField,
  audienceDialogForm,
  countIntent,
  fieldOfRow,
  findRule,
  nextRowNumber,
  type RowStep,
  readRows,
  rowStepOf,
  rowsField,
  rowsOfRule,
  usualDays,
  valuesOfRows,
} from '~/forms/audience-fields.ts'
import {
  type About,
  answerAbouts,
  audienceLimits,
  type Condition,
  hasEnded,
  howChoices,
  isPicked,
  type PickedAbout,
} from '~/forms/audiences.ts'
import { pickerNames } from '~/forms/picked.ts'
import { formValues } from '~/forms/steps.ts'
import { groupChoices, noneOfThem } from '~/forms/user-tables.ts'
import type { SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { type Refusal, refusalOf, revisionIn, text } from '~/http/respond.server.ts'
import { listAccessPlans } from '~/services/access/plans.server.ts'
import {
  type AudienceToEdit,
  countPeopleOfRule,
  findNames,
  getAudienceToEdit,
  listAnswersToName,
  listThingsToName,
} from '~/services/audiences/audiences.server.ts'
import { type AudienceState, createAudience, updateAudience } from '~/services/audiences/save-audience.server.ts'
import type { Ctx } from '~/services/context.ts'
import { parseInput } from '~/services/input.ts'
import { answerSave } from './content-forms.server.ts'
import { answerPicker, type PickerSource, pickerIn } from './picker.server.ts'

type Values = Record<string, unknown>

/** An empty form for a new audience. */
export async function getNewAudienceForm(ctx: Ctx): Promise<AudienceFormView> {
  return formOf(ctx, { uid: randomUUID(), name: '', conditions: [], revision: 0, hasGone: false })
}

/** A form for a new audience with the rule of another one. */
export async function getCopyForm(ctx: Ctx, input: { audienceUid: string }): Promise<AudienceFormView> {
  const { name, conditions, hasGone } = await getAudienceToEdit(ctx, input)
  const copy = [...`Copy of ${name}`].slice(0, audienceLimits.name).join('')
  return formOf(ctx, { uid: randomUUID(), name: copy, conditions, revision: 0, hasGone })
}

export async function getAudienceForm(ctx: Ctx, input: { audienceUid: string }): Promise<AudienceFormView> {
  return formOf(ctx, await getAudienceToEdit(ctx, input))
}

async function formOf(ctx: Ctx, audience: AudienceToEdit): Promise<AudienceFormView> {
  const { uid, name, conditions, revision, hasGone } = audience
  const values = valuesOfRows(rowsOfRule(conditions))
  const [rows, options, count] = await Promise.all([
    rowsIn(ctx, values),
    listOptions(ctx),
    conditions.length > 0 ? countPeopleOfRule(ctx, { conditions }) : null,
  ])
  return { uid, revision, hasGone, rows, options, count, defaults: { name, ...values } }
}

/** The values to choose from, of conditions whose values are few. */
async function listOptions(ctx: Ctx): Promise<AudienceFormView['options']> {
  const [plans, answers] = await Promise.all([listAccessPlans(ctx), listAnswersToName(ctx)])
  const optionOf = ({ uid, name }: { uid: string; name: string }) => ({ value: uid, label: name })
  const ofQuestion = (about: About) => [
    ...answers.filter((answer) => answer.about === about).map(optionOf),
    { value: noneOfThem, label: 'No answer' },
  ]
  return {
    plan: [
      ...plans.map(optionOf),
      { value: noneOfThem, label: 'No access plan' },
      { value: hasEnded, label: 'Access has ended' },
    ],
    group: groupChoices,
    ...Object.fromEntries(answerAbouts.map((about) => [about, ofQuestion(about)])),
  }
}

/** The institutions, modules or courses that a field can name. */
export function thingsToPick(ctx: Ctx, { about, field }: { about: PickedAbout; field: string }): PickerSource {
  const find = async (uids: string[]) => {
    const condition = { about, how: 'is', values: uids } as Condition
    const names = await findNames(ctx, [condition])
    return new Map([...names].map(([key, name]) => [key.slice(about.length + 1), name]))
  }
  return {
    field,
    most: audienceLimits.values,
    list: async ({ search, page, size }) => {
      const { items, total } = await listThingsToName(ctx, { about, search, page, size })
      return { candidates: items.map((item) => ({ ...item, problem: null })), total }
    },
    findAll: async ({ search, most: size }) => (await listThingsToName(ctx, { about, search, size })).items,
    find: async (uids) => new Map([...(await find(uids))].map(([uid, name]) => [uid, { uid, name }])),
  }
}

async function rowsIn(ctx: Ctx, values: Values): Promise<ConditionRow[]> {
  return Promise.all(
    readRows(values).map(async ({ key, about }) => {
      if (!isPicked(about)) return { key, about, picker: null }
      const source = thingsToPick(ctx, { about, field: fieldOfRow(key, 'values') })
      return { key, about, picker: await pickerIn(source, values) }
    }),
  )
}

/** How many people meet what is typed; null if it is not complete. */
export async function countTyped(ctx: Ctx, values: Values): Promise<number | null> {
  const conditions = findRule(values)
  return conditions && countPeopleOfRule(ctx, { conditions })
}

/** Answers the buttons that save nothing: a row more or less, a count, and those of pickers. Null for Save. */
async function answerRows(args: ActionFunctionArgs, ctx: Ctx, form: FormData) {
  const intent = text(form, 'intent')
  const step = rowStepOf(intent, text(form, addField))
  let opened: string | null = null
  if (step) opened = changeRows(form, step)
  else if (!(await pressPicker(ctx, form)) && intent !== countIntent) return null
  return data({ ...(await refusalOf(ctx, args.context.exchange, form, { message: '' })), opened })
}

/** Adds or removes a row of a form. Returns the key of a new one. */
function changeRows(form: FormData, step: RowStep): string | null {
  const rows = readRows(formValues(form))
  if (step.kind === 'remove') {
    form.delete(rowsField)
    for (const { key } of rows) if (key !== step.key) form.append(rowsField, key)
    for (const name of [...form.keys()]) if (name.startsWith(`${step.key}-`)) form.delete(name)
    return null
  }
  if (rows.length >= audienceLimits.conditions) return null
  const key = `c${nextRowNumber(rows)}`
  form.append(rowsField, key)
  form.set(fieldOfRow(key, 'about'), step.about)
  form.set(fieldOfRow(key, 'how'), howChoices[step.about][0]?.value ?? '')
  form.set(fieldOfRow(key, 'days'), usualDays)
  return key
}

/** Presses the button of a picker in a form without JavaScript. Returns false if none was pressed. */
async function pressPicker(ctx: Ctx, form: FormData): Promise<boolean> {
  const pressed = readRows(formValues(form)).find(
    ({ key, about }) => isPicked(about) && form.has(pickerNames(fieldOfRow(key, 'values')).button),
  )
  if (!pressed || !isPicked(pressed.about)) return false
  const field = fieldOfRow(pressed.key, 'values')
  const view = await answerPicker(thingsToPick(ctx, { about: pressed.about, field }), form)
  if (!view) return false
  const names = pickerNames(field)
  const uids = (items: { uid: string }[]) => items.map(({ uid }) => uid).join(' ')
  form.set(field, uids(view.chosen))
  form.set(names.cleared, uids(view.cleared))
  form.set(names.page, String(view.page))
  return true
}

/** Adds the rows to a form that comes back. Other answers stay as they are. */
export async function withRows<T>(ctx: Ctx, answer: T) {
  const returned = answer as {
    type?: string
    data?: Refusal & { opened?: string | null }
    init?: ResponseInit | null
  }
  if (returned?.type !== 'DataWithResponseInit' || !returned.data) return answer
  const values = { ...returned.data.values, ...returned.data.repeated }
  const [rows, count] = await Promise.all([rowsIn(ctx, values), countTyped(ctx, values)])
  const more: ReturnedRows = { rows, count, opened: returned.data.opened ?? null }
  return data({ ...returned.data, ...more }, returned.init ?? undefined)
}

const list = '/dashboard/audiences/'

/** Answers the form of a new audience. */
export async function answerNewAudience(args: ActionFunctionArgs, ctx: SignedIn, form: FormData) {
  const answer = await answerRows(args, ctx, form)
  if (answer) return answer
  // With the uid of the page, a form that is sent twice creates one audience.
  const input = { ...parseInput(audienceDialogForm, formValues(form)), uid: text(form, 'uid') }
  const { name } = await createAudience(ctx, input)
  // The list shows the new audience, whatever part of it was open before.
  return redirectWithNotice(args, `${list}?${new URLSearchParams({ search: name })}`, {
    kind: 'success',
    text: `Audience “${name}” has been created.`,
  })
}

/** Answers the form of an audience that is edited. */
export async function answerAudience(
  args: ActionFunctionArgs,
  ctx: SignedIn,
  form: FormData,
  { audienceUid }: { audienceUid: string },
) {
  const answer = await answerRows(args, ctx, form)
  if (answer) return answer
  const values = parseInput(audienceDialogForm, formValues(form))
  return answerSave(args, ctx, form, {
    noun: 'audience',
    place: list,
    notice: ({ audience }) => `Audience “${audience.name}” has been saved.`,
    save: () => updateAudience(ctx, { ...values, audienceUid, revision: revisionIn(form) }),
    merged: ({ now }) => {
      const state = now.state as AudienceState
      // New keys, so that the fields of the rows that were typed do not mix with those of others.
      const first = nextRowNumber(readRows(formValues(form)))
      return {
        formId: `audience-${audienceUid}-${now.revision}`,
        valuesOf: (field) =>
          field === 'name' ? { name: state.name } : valuesOfRows(rowsOfRule(state.conditions, first)),
      }
    },
  })
}
