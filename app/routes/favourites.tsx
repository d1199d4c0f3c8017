import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import type { ClientActionFunctionArgs } from '@remix-run/react'
import { whenUnanswered } from '~/browser/failed-posts.ts'
import { requireLearner } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { text, withButton } from '~/http/respond.server.ts'
import { safeNext } from '~/lib/next-address.ts'
import { countForBadge, setFavourite } from '~/services/favourites/favourites.server.ts'

/** There is nothing here to look at. */
export async function loader(args: LoaderFunctionArgs) {
  await requireLearner(args)
  return redirect('/my-learning/saved/')
}

/** The pressed button says what: `add` or `remove` with `module:{uid}`. A form that was posted as a whole goes back to its page. */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireLearner(args)
  return withButton(args, ctx, async (form) => {
    const isAdded = text(form, 'add') !== ''
    const [studyUnitType = '', uid = ''] = (text(form, 'add') || text(form, 'remove')).split(':')
    const favourites = await setFavourite(ctx, {
      action: isAdded ? 'ADD' : 'REMOVE',
      studyUnitType: studyUnitType as 'module',
      uid,
    })
    const from = safeNext(text(form, 'from'))
    // Back at the card whose button it was, unless the card is gone with it.
    const at = new URL(args.request.url).searchParams.get('at') ?? ''
    const place = /^save-[0-9a-f-]{36}$/.test(at) ? `#${at}` : ''
    if (from === null) return { count: countForBadge(favourites), hasRisen: isAdded && studyUnitType !== 'lecture' }
    return redirectWithNotice(args, from + (from.includes('#') ? '' : place), {
      kind: 'success',
      text: isAdded ? 'Saved. You find it in My Learning.' : 'No longer saved.',
    })
  })
}

export function clientAction({ serverAction }: ClientActionFunctionArgs) {
  return whenUnanswered(serverAction(), () => ({ message: '' }))
}

/** Seen only without JavaScript, when a press was refused. */
export { FavouriteRefused as default } from '~/components/favourites/refused.tsx'
