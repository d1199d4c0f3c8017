/** What the dialogs of a learner's attempt have in common: which attempt it is, and the way back to it. */
import type { LoaderFunctionArgs } from '@remix-run/node'
import { attemptSearch } from '~/lib/attempt-address.ts'
import type { Ctx } from '~/services/context.ts'
import { getLearnerAttempt } from '~/services/read/learner-attempts.server.ts'
import { notFoundPage, throwAsPage } from './respond.server.ts'

type Args = Pick<LoaderFunctionArgs, 'request' | 'params'>

export function registrationOf({ request }: Args): string {
  return new URL(request.url).searchParams.get('attempt') ?? ''
}

/** The page of the attempts, at the attempt that the dialog is about. */
export function attemptsAddress(args: Args, registrationUid = registrationOf(args)): string {
  const { uid, userUid } = args.params
  const { search } = new URL(args.request.url)
  return `/dashboard/modules/${uid}/learners/${userUid}/${attemptSearch(search, registrationUid)}`
}

export async function attemptOfDialog(ctx: Ctx, args: Args) {
  const { uid, userUid } = args.params
  return getLearnerAttempt(ctx, {
    moduleUid: uid ?? '',
    userUid: userUid ?? '',
    registrationUid: registrationOf(args),
    language: args.request.headers.get('Accept-Language') ?? 'en',
  }).catch(throwAsPage)
}

/** With the unit that the address names. */
export async function unitOfDialog(ctx: Ctx, args: Args) {
  const { attempt, ...page } = await attemptOfDialog(ctx, args)
  const { units, ...summary } = attempt
  const unit = units.find(({ uid }) => uid === args.params.unitUid?.toLowerCase())
  if (!unit) throw notFoundPage()
  return { ...page, attempt: summary, unit }
}
