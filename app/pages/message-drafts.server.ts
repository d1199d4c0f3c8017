/**
 * What is typed into the dialog of a message and not saved: it is kept as a draft of its author from step to step. If the
 * message of a form can no longer take it, it goes on as that of a new message.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { ActionFunctionArgs } from '@remix-run/node'
import { messageForm } from '~/forms/announcements.ts'
import { type DraftFields, draftKeyOf, isKeptInDrafts, typedAtField } from '~/forms/draft-fields.ts'
import { readRecipientFilters, recipientsTable } from '~/forms/recipients.ts'
import { stepField } from '~/forms/steps.ts'
import type { SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { text } from '~/http/respond.server.ts'
import { type TableQuery, tableSearch, writeTableQuery } from '~/lib/table-query.ts'
import {
  getAnnouncementToEdit,
  type MessageToEdit,
  timesKeyOf,
} from '~/services/announcements/read-announcement.server.ts'
import { copyRecipientChoice, getRecipientChoice } from '~/services/announcements/recipient-choice.server.ts'
import type { Ctx } from '~/services/context.ts'
import { deleteDraft, findDraft, keepDraft } from '~/services/drafts/drafts.server.ts'
import { Invalid } from '~/services/errors.ts'
import { timeIn } from './form-drafts.server.ts'
import { findEndedForms, hasFormEnded, startValues } from './message-dialog.server.ts'

export const list = '/dashboard/messages/'

/** The choice of recipients that the form goes on with. One without steps is not named in `choice`. */
export function choiceIn(form: FormData): string {
  return text(form, 'choice') || text(form, 'choiceUid')
}

/** What a message that is no longer scheduled has in the fields of its schedule. */
export const unscheduled: Record<string, string> = { when: 'now', sendAt: '', notAfter: '', shownTimes: '' }

type GoingOn = { formUid: string; isNew: boolean; next: string; copyOf: string; sentence: string }

/**
 * Goes on with what is typed as a new message with the uid `next`, which is not saved yet, to the recipients of `copyOf`.
 * The sentence says why the message of the form cannot take it.
 */
export async function goOnAsNew(
  args: ActionFunctionArgs,
  ctx: SignedIn,
  form: FormData,
  { formUid, isNew, next, copyOf, sentence }: GoingOn,
): Promise<Response> {
  // A second press leads to what has been typed there since the first one.
  const wasKept = await isKept(ctx, next)
  const formKey = draftKeyOf('message', { uid: formUid, isNew })
  const draft = await findDraft(ctx, { formKey })
  const isOfThisPage = !draft || saysTheSame(draft.fields, form)
  if (!wasKept) await giveOwnChoice(ctx, form)
  form.set('uid', next)
  form.set('copyOf', copyOf)
  const to = wasKept
    ? `${list}new/?${new URLSearchParams({ uid: next })}`
    : await keepSteps(args, ctx, form, null, { ...unscheduled, revision: '0' })
  const address = new URL(to, 'http://site')
  address.searchParams.set(stepField, 'message')
  // What was kept in another window stays, and is offered.
  if (isOfThisPage) await deleteDraft(ctx, { formKey })
  return redirectWithNotice(args, address.pathname + address.search, {
    kind: 'error',
    text: `${sentence} What you typed is here as a new message, which is not saved yet.`,
  })
}

/** Gives the new message its own choice of recipients, so that another window cannot take or change it. */
async function giveOwnChoice(ctx: Ctx, form: FormData): Promise<void> {
  const choiceUid = randomUUID()
  const hasSteps = await copyRecipientChoice(ctx, { from: choiceIn(form), to: choiceUid })
  form.set('choiceUid', choiceUid)
  form.set('choice', hasSteps ? choiceUid : '')
}

const comparedFields = [...Object.keys(messageForm.shape), 'choice', ...Object.keys(unscheduled)]

/** Tells whether a draft says what the form says, in all fields but `besides`. */
function saysTheSame(kept: DraftFields, form: FormData, besides: string[] = []): boolean {
  const [one, other] = [new Map(kept), new Map(fieldsToKeep(form))]
  const valueIn = (fields: Map<string, string>, name: string) => (fields.get(name) ?? '').replaceAll('\r\n', '\n')
  const compared = comparedFields.filter((name) => !besides.includes(name))
  return compared.every((name) => valueIn(one, name) === valueIn(other, name))
}

/** So many messages can follow each other from one page that stays open. */
const mostFollowing = 10

/** What is typed in one page: each has a test request of its own among its fields. */
export function typedIn(form: FormData): string {
  return JSON.stringify(fieldsToKeep(form))
}

function fieldsToKeep(form: FormData): [string, string][] {
  return [...form].filter(
    (field): field is [string, string] => typeof field[1] === 'string' && isKeptInDrafts(field[0]),
  )
}

/** Tells whether something is kept for a new message with this uid. */
export async function isKept(ctx: Ctx, newUid: string): Promise<boolean> {
  return (await findDraft(ctx, { formKey: draftKeyOf('message', { uid: newUid, isNew: true }) })) !== null
}

/**
 * Returns the uid under which a form goes on whose own uid is taken. It is the same for each press that sends what was
 * typed in one page, or in one draft, so that a second press makes no second draft and replaces no other text.
 */
export async function uidAfter(ctx: SignedIn, uid: string, typed: string): Promise<string> {
  const following: string[] = []
  let last = uid.toLowerCase()
  while (following.length < mostFollowing) {
    const hex = createHash('sha256').update(`${ctx.viewer.uid} ${last} ${typed}`).digest('hex')
    last = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')
    following.push(last)
  }
  const ended = await findEndedForms(ctx, following)
  return following.find((one) => !ended.has(one)) ?? randomUUID()
}

/**
 * Keeps what is typed as the author's draft, unless it is what has been saved, and returns the address of the step that
 * goes on with it. The draft has the `changed` values in place of those of the form.
 */
export async function keepSteps(
  args: ActionFunctionArgs,
  ctx: SignedIn,
  form: FormData,
  uid: string | null,
  changed: Record<string, string> = {},
): Promise<string> {
  // A form whose draft was discarded in another window goes on as that of another message.
  const newUid = text(form, 'uid')
  const isEnded = uid === null && (await hasFormEnded(ctx, newUid))
  const formUid = isEnded ? await uidAfter(ctx, newUid, typedIn(form)) : (uid ?? newUid)
  const wasKept = isEnded && (await isKept(ctx, formUid))
  if (isEnded && !wasKept) await giveOwnChoice(ctx, form)
  const values: Record<string, string> = { ...changed, ...(form.has('uid') && { uid: formUid }) }
  const fields = fieldsToKeep(form).map(([name, value]): [string, string] => [name, values[name] ?? value])
  const formKey = draftKeyOf('message', { uid: formUid, isNew: uid === null })
  const message = uid === null ? null : await getAnnouncementToEdit(ctx, { announcementUid: uid })
  if (message && (await isAsSaved(ctx, form, message))) await deleteDraft(ctx, { formKey })
  // A second press of what ended leads to what has been typed there since the first one.
  else if (!wasKept)
    await keepWhole(ctx, { formKey, fields, typedAt: timeIn(ctx, form, typedAtField).getTime(), isPressed: true })
  const { search } = new URL(args.request.url)
  const params = new URLSearchParams(search)
  if (uid === null) params.set('uid', formUid)
  params.delete('copy')
  if (wasKept) params.delete('choice')
  else params.set('choice', text(form, 'choiceUid') || params.get('choice') || randomUUID())
  const filters = storedFilters(text(form, 'filterState'))
  const hasQuery = tableSearch(search, recipientsTable.prefix) !== ''
  const shown = hasQuery ? `?${params}` : writeTableQuery(`?${params}`, recipientsTable, { filters })
  return `${list}${uid ?? 'new'}/${shown}`
}

/**
 * The review of the saved message of an old page. A time that was typed there is kept for it; "now" is not typed. What was
 * kept for the message in another window stays: its page offers that first.
 */
export async function reviewWithTime(
  args: ActionFunctionArgs,
  ctx: SignedIn,
  form: FormData,
  message: MessageToEdit,
): Promise<string> {
  const page = `${list}${message.uid}/`
  const draft = await findDraft(ctx, { formKey: draftKeyOf('message', { uid: message.uid, isNew: false }) })
  // An earlier press has kept another time at most.
  if (draft && !saysTheSame(draft.fields, form, ['choice', ...Object.keys(unscheduled)])) return page
  if (text(form, 'when') !== 'later') return `${page}?${stepField}=review`
  form.set('revision', String(message.revision))
  const kept = new URL(
    await keepSteps(args, ctx, form, message.uid, { shownTimes: timesKeyOf(message) }),
    'http://site',
  )
  kept.searchParams.set(stepField, 'review')
  return kept.pathname + kept.search
}

/** Keeps a draft. What is wrong with it is about the whole form, which has no field of this name. */
async function keepWhole(ctx: Ctx, draft: Parameters<typeof keepDraft>[1]): Promise<void> {
  await keepDraft(ctx, draft).catch((error: unknown) => {
    throw error instanceof Invalid ? new Invalid(error.message) : error
  })
}

/** Tells whether the form says what has been saved, in all fields but `besides`, without a choice of recipients. */
export async function isAsSaved(
  ctx: Ctx,
  form: FormData,
  message: MessageToEdit,
  { besides = [], isAnyRevision = false }: { besides?: string[]; isAnyRevision?: boolean } = {},
): Promise<boolean> {
  if ((await getRecipientChoice(ctx, { choiceUid: choiceIn(form) })).length > 0) return false
  if (!isAnyRevision && text(form, 'revision') !== String(message.revision)) return false
  // A save tidies what is typed.
  const tidied = messageForm.partial().safeParse(Object.fromEntries(form))
  const typed: Record<string, unknown> = tidied.success ? tidied.data : {}
  const saved = Object.entries(startValues(ctx, message, { isCopy: false }))
  const compared = saved.filter(([name]) => form.has(name) && !besides.includes(name))
  return compared.every(([name, value]) => {
    return (name in typed ? (typed[name] ?? '') : text(form, name).replaceAll('\r\n', '\n')) === value
  })
}

/** The filters of step 2, as its hidden field has them; none if it has anything else. */
export function storedFilters(value: string): TableQuery['filters'] {
  try {
    return readRecipientFilters(JSON.parse(value || '{}'))
  } catch {
    return {}
  }
}
