/**
 * Drafts of the console's forms: what a dialog is offered, and the answers to its buttons. Loaders call `offeredDraft`,
 * and actions `answerDraft` before anything else of the form is read, and `endDraft` when the form has been saved.
 */
import { data, redirect } from '@remix-run/node'
import type { DraftOfForm } from '~/components/console/drafts/form-draft.tsx'
import type { RestoredDraft } from '~/components/console/drafts/view.ts'
import {
  type DraftKind,
  discardDraft,
  draftKeyField,
  draftKeyOf,
  offeredAtField,
  offeredFieldsField,
  offeredKeyField,
  restoreDraft,
} from '~/forms/draft-fields.ts'
import { readDraftFields } from '~/forms/drafts.ts'
import { formIdField } from '~/forms/form-id.ts'
import { stepField } from '~/forms/steps.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { type Refusal, refusalOf, text } from '~/http/respond.server.ts'
import { formatMoment } from '~/lib/dates.ts'
import type { Ctx } from '~/services/context.ts'
import { type Draft, deleteDraft, findDraft, findNewDraft } from '~/services/drafts/drafts.server.ts'
import { Conflict } from '~/services/errors.ts'

/** Reads the viewer's draft for the form of an existing thing or, without a uid, for the form of a new one. */
export async function offeredDraft(
  ctx: Ctx,
  { kind, uid }: { kind: DraftKind; uid?: string },
): Promise<DraftOfForm['offered']> {
  const draft =
    uid === undefined
      ? await findNewDraft(ctx, { kind })
      : await findDraft(ctx, { formKey: draftKeyOf(kind, { uid, isNew: false }) })
  return draft && { ...draft, typedAt: draft.typedAt.getTime(), typedOn: typedOn(ctx, draft) }
}

function typedOn(ctx: Ctx, { typedAt }: Pick<Draft, 'typedAt'>): string {
  return formatMoment(typedAt, ctx.site.timeZone)
}

type Args = { request: Request; context: { exchange: Exchange } }

/**
 * Answers the buttons of an offered draft, or returns null if another button sent the form. A restored form comes back
 * like a refused one, with the values of the draft and under another id, so that the page makes it anew.
 */
export async function answerDraft(
  args: Args,
  ctx: Ctx,
  form: FormData,
): Promise<Response | ReturnType<typeof data<Refusal & RestoredDraft>> | null> {
  const formKey = text(form, offeredKeyField)
  switch (text(form, 'intent')) {
    case discardDraft: {
      const { pathname, search } = new URL(args.request.url)
      const draft = await findDraft(ctx, { formKey })
      if (draft && isOtherThanOffered(draft, form)) {
        const notice = 'These changes went on in another window, so they were not discarded.'
        return redirectWithNotice(args, pathname + search, { kind: 'info', text: notice })
      }
      await deleteDraft(ctx, { formKey })
      return redirect(pathname + search)
    }
    case restoreDraft: {
      const draft = await draftIn(ctx, form, formKey)
      const restored = new FormData()
      for (const [name, value] of draft.fields) {
        // The address says which step has been read.
        if (name !== stepField) restored.append(name, value)
      }
      restored.set(draftKeyField, formKey)
      const formId = `${text(form, formIdField)}-restored`
      const refusal = await refusalOf(ctx, args.context.exchange, restored, { message: '', formId })
      return data({ ...refusal, restoredFrom: typedOn(ctx, draft) })
    }
    default:
      return null
  }
}

/** Tells whether the server has another draft now than the page offered. A browser may have offered a newer one of its own. */
function isOtherThanOffered({ typedAt }: Draft, form: FormData): boolean {
  const offeredAt = Number(text(form, offeredAtField))
  if (!(offeredAt > 0)) return false
  return form.has(offeredFieldsField) ? typedAt.getTime() > offeredAt : typedAt.getTime() !== offeredAt
}

/** The draft that the browser sent along, because it has a newer one, or else the server's. */
export async function draftIn(ctx: Ctx, form: FormData, formKey: string): Promise<Pick<Draft, 'fields' | 'typedAt'>> {
  const fields = readDraftFields(text(form, offeredFieldsField))
  if (fields) return { fields, typedAt: timeIn(ctx, form, offeredAtField) }
  const draft = await findDraft(ctx, { formKey })
  if (draft) return draft
  throw new Conflict('draft.gone', draftGone)
}

export const draftGone = 'These changes are no longer there. They were saved or discarded in another window.'

/** A time that a browser sends, in milliseconds. What is no time, or is still to come, is now. */
export function timeIn(ctx: Ctx, form: FormData, field: string): Date {
  const time = Number(text(form, field))
  return time > 0 && time < ctx.now.getTime() ? new Date(time) : ctx.now
}

/** Deletes the draft of a form that has been saved. */
export async function endDraft(ctx: Ctx, form: FormData): Promise<void> {
  await deleteDraft(ctx, { formKey: text(form, draftKeyField) })
}
