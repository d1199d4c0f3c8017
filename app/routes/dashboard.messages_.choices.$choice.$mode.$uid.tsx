import { type ActionFunctionArgs, redirect } from '@remix-run/node'
import type { ClientActionFunctionArgs } from '@remix-run/react'
import { whenUnanswered } from '~/browser/failed-posts.ts'
import { notify } from '~/browser/notices.ts'
import { newMessageFor, type RecipientStep } from '~/forms/recipients.ts'
import { pageOf } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { notFoundPage, text, withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { answerChangedMessage, choiceUidOf, chosenStep, placeOfChoice } from '~/pages/recipient-choice.server.ts'
import { changeRecipientChoice } from '~/services/announcements/recipient-choice.server.ts'

/** There is no page here. */
export function loader() {
  throw notFoundPage()
}

/**
 * Changes the recipients that are chosen in step 2 of a message, and leads back there. A button of another page begins a
 * new message so. Nothing of the message is saved.
 */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const choiceUid = choiceUidOf(args.params)
  const place = placeOfChoice({ ...args, params: { ...args.params, choice: choiceUid } })
  const answer = await withForm(args, ctx, async (form) => {
    const step: RecipientStep = chosenStep(form, new URL(args.request.url).searchParams)
    const elsewhere = await answerChangedMessage(args, ctx, { choiceUid, step })
    if (elsewhere) return elsewhere
    if (text(form, 'choose') === 'add' && !form.has('uid')) {
      const notice = { kind: 'error', text: 'Select one or more people in the table first.' } as const
      if (new URL(args.request.url).pathname !== newMessageFor) return redirectWithNotice(args, place, notice)
      const page = pageOf(args)
      return redirectWithNotice(args, page.startsWith('/dashboard/users/?') ? page : '/dashboard/users/', notice)
    }
    await changeRecipientChoice(ctx, { choiceUid, step })
    return redirect(place)
  })
  return answerUndo(args, place, answer)
}

export async function clientAction({ serverAction }: ClientActionFunctionArgs) {
  return whenUnanswered(serverAction(), () => {
    notify({ kind: 'error', text: 'The recipients could not be changed. Please try again later.' })
    return {}
  })
}

export default function RecipientChoice() {
  return null
}
