/** The buttons of step 2, which change a choice of recipients, and those of other pages, which begin one. */
import { randomUUID } from 'node:crypto'
import type { ActionFunctionArgs } from '@remix-run/node'
import { draftKeyOf } from '~/forms/draft-fields.ts'
import { type RecipientStep, recipientsTable } from '~/forms/recipients.ts'
import { stepField } from '~/forms/steps.ts'
import { type UserTab, userTables, userTabs } from '~/forms/user-tables.ts'
import type { SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { text } from '~/http/respond.server.ts'
import { selectedIn } from '~/http/selection.server.ts'
import { readWholeQuery } from '~/http/table-page.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'
import { listCandidateUids } from '~/services/announcements/list-recipients.server.ts'
import { changeRecipientChoice, getRecipientChoice } from '~/services/announcements/recipient-choice.server.ts'
import type { Ctx } from '~/services/context.ts'
import { findDraft } from '~/services/drafts/drafts.server.ts'
import { Invalid } from '~/services/errors.ts'
import { findMessage, isTooLate, placeOf, whatBecameOf } from './message-dialog-answers.server.ts'

type Args = { request: Request; params: { choice?: string; mode?: string; uid?: string } }

/** The choice that an address names; a new one for a button of another page, which names none. */
export function choiceUidOf({ choice = '' }: Args['params']): string {
  return isUid(choice) ? choice : randomUUID()
}

/** The address of step 2 of the message, with its table as it was. */
export function placeOfChoice({ request, params }: Args): string {
  const { choice = '', mode, uid = '' } = params
  const isNew = mode === 'new'
  const query = new URLSearchParams(tableSearch(new URL(request.url).search))
  query.set(stepField, 'recipients')
  if (isUid(choice)) query.set('choice', choice)
  if (isNew && isUid(uid)) query.set('uid', uid)
  return `/dashboard/messages/${isNew ? 'new' : encodeURIComponent(uid)}/?${query}`
}

/**
 * Answers a change of the recipients of a message that was saved, sent or deleted since its step 2 was opened. The change goes
 * on in the message that was saved. Returns null for every other message.
 */
export async function answerChangedMessage(
  args: ActionFunctionArgs,
  ctx: Ctx,
  { choiceUid, step }: { choiceUid: string; step: RecipientStep },
): Promise<Response | null> {
  const { mode, uid = '' } = args.params
  if (!isUid(uid)) return null
  const message = await findMessage(ctx, uid)
  if (!message) return null
  if (isTooLate(message)) {
    const text = `${whatBecameOf(message)} Its recipients can no longer be changed.`
    return redirectWithNotice(args, placeOf(message), { kind: 'error', text })
  }
  if (mode !== 'new') return null
  await changeRecipientChoice(ctx, { choiceUid, step })
  const saved = { request: args.request, params: { choice: choiceUid, uid: message.uid } }
  const text = `${whatBecameOf(message)} Your change to its recipients is here, but not saved yet.`
  return redirectWithNotice(args, placeOfChoice(saved), { kind: 'info', text })
}

/** The step that a button asks for. */
export function chosenStep(form: FormData, params: URLSearchParams): RecipientStep {
  const [remove, removeAudience] = [text(form, 'remove'), text(form, 'removeAudience')]
  if (remove !== '') return { kind: 'remove', uids: [remove] }
  if (removeAudience !== '') return { kind: 'removeAudience', uid: removeAudience }
  switch (text(form, 'choose')) {
    case 'add':
      return { kind: 'add', uids: selectedIn(form) }
    case 'found': {
      const { search, filters } = readWholeQuery(params, recipientsTable)
      return { kind: 'found', search, filters }
    }
    case 'users': {
      const query = new URLSearchParams(text(form, 'users'))
      const tab = tabIn(query)
      const { search, filters } = readWholeQuery(query, userTables[tab])
      return { kind: 'users', tab, search, filters }
    }
    case 'audience':
      return { kind: 'addAudience', uid: text(form, 'audience') }
    case 'clear':
      return { kind: 'clear' }
    default:
      throw new Invalid('Nothing was chosen.')
  }
}

/** An unknown tab is not the first one here: other people would get the message. */
function tabIn(query: URLSearchParams): UserTab {
  const [usual] = userTabs
  const name = query.get('tab') ?? usual
  const tab = userTabs.find((known) => known === name)
  if (!tab) throw new Invalid('The list is not known here. Choose it again.')
  return tab
}

export async function listUidsToTick(ctx: SignedIn, { request, params }: Args): Promise<string[]> {
  const { choice = '', mode, uid = '' } = params
  const isNew = mode === 'new'
  const [steps, draft] = await Promise.all([
    getRecipientChoice(ctx, { choiceUid: choice }),
    findDraft(ctx, { formKey: draftKeyOf('message', { uid, isNew }) }),
  ])
  const fields = Object.fromEntries(draft?.fields ?? [])
  const deliveryType = fields.deliveryType === 'email' ? 'email' : 'dashboard'
  const copy = fields.copyOf && isUid(fields.copyOf) ? fields.copyOf : null
  const query = readWholeQuery(new URL(request.url).searchParams, recipientsTable)
  return listCandidateUids(ctx, {
    announcementUid: isNew ? copy : uid,
    isCopy: isNew && copy !== null,
    deliveryType,
    steps,
    query,
  })
}
