import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import type { ClientActionFunctionArgs } from '@remix-run/react'
import { whenUnanswered } from '~/browser/failed-posts.ts'
import { contextFor, isDocumentPost, pageOf, requireLearner } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { keepPress, savedText } from '~/http/press.server.ts'
import { text, withButton } from '~/http/respond.server.ts'
import { safeNext } from '~/lib/next-address.ts'
import { countForBadge, setFavorite } from '~/services/favorites/favorites.server.ts'

/** Redirects visitors, because this address has no page. */
export async function loader(args: LoaderFunctionArgs) {
  await requireLearner(args)
  return redirect('/my-learning/saved/')
}

/**
 * Saves or removes content. The pressed button sends `add` or `remove` with `module:{uid}`. A form that the browser
 * posted itself returns to its page. If the session has ended, it is done after signing in again.
 */
export async function action(args: ActionFunctionArgs) {
  const visitor = await contextFor(args)
  if (!visitor.viewer) {
    await keepPress(
      visitor,
      args.context.exchange,
      await args.request
        .clone()
        .formData()
        .catch(() => new FormData()),
      pageOf(args),
    )
  }
  const ctx = await requireLearner(args)
  const answer = await withButton(args, ctx, async (form) => {
    const isAdded = text(form, 'add') !== ''
    const [studyUnitType = '', uid = ''] = (text(form, 'add') || text(form, 'remove')).split(':')
    const favorites = await setFavorite(ctx, {
      action: isAdded ? 'ADD' : 'REMOVE',
      studyUnitType: studyUnitType as 'module',
      uid,
    })
    const from = safeNext(text(form, 'from'))
    // Returns to the card with the button. The card is gone if its item was removed from the Saved page.
    const at = new URL(args.request.url).searchParams.get('at') ?? ''
    const place = /^save-[0-9a-f-]{36}$/.test(at) ? `#${at}` : ''
    if (from === null) return { count: countForBadge(favorites), hasRisen: isAdded && studyUnitType !== 'lecture' }
    return redirectWithNotice(args, from + (from.includes('#') ? '' : place), {
      kind: 'success',
      text: savedText(isAdded),
    })
  })
  if (!('init' in answer) || !isDocumentPost(args)) return answer
  // Shows the refusal of a form without JavaScript as a notice, because this address has no page.
  const { values, message } = answer.data
  const from = safeNext(values.from ?? '') ?? '/my-learning/saved/'
  return redirectWithNotice(args, from, { kind: 'error', text: message })
}

export function clientAction({ serverAction }: ClientActionFunctionArgs) {
  // Only a later change that was saved takes this notice away, and no other answer of the server.
  return whenUnanswered(serverAction(), () => ({
    message: 'Your change was not saved. Please check your connection and try again.',
    about: 'unsaved',
  }))
}

export default function Favorites() {
  return null
}
