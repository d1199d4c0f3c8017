import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { stopStandingAssignment } from '~/services/assignments/standing-assignments.server.ts'

const pageOf = (args: LoaderFunctionArgs) => `/dashboard/audiences/${encodeURIComponent(args.params.uid ?? '')}/people/`

/** Redirects visitors: only Stop posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'audiences')
  return redirect(pageOf(args))
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'audiences')
  const answer = await withForm(args, ctx, async () => {
    const { uid: audienceUid = '', standing: standingUid = '' } = args.params
    await stopStandingAssignment(ctx, { audienceUid, standingUid })
    const text = 'People who join from now on won’t get it. Those who have it keep it.'
    return redirectWithNotice(args, pageOf(args), { kind: 'success', text })
  })
  return answerUndo(args, pageOf(args), answer)
}

export default function StopStanding() {
  return null
}
