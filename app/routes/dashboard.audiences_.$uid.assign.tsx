import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { prepareAssignment } from '~/services/assignments/assign-content.server.ts'
import { getAudienceRule } from '~/services/audiences/audiences.server.ts'
import { peopleOfAudience } from '~/services/audiences/people.server.ts'

const pageOf = (args: LoaderFunctionArgs) => `/dashboard/audiences/${encodeURIComponent(args.params.uid ?? '')}/people/`

/** Redirects visitors: only the button of the audience's page posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'audiences')
  return redirect(pageOf(args))
}

/** Selects everybody who is in the audience now, and leads to the dialog that assigns. */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'audiences')
  const answer = await withForm(args, ctx, async () => {
    const audience = await getAudienceRule(ctx, { audienceUid: args.params.uid ?? '' })
    const { operationUid } = await prepareAssignment(ctx, { people: peopleOfAudience(ctx, audience) })
    const params = new URLSearchParams({ operation: operationUid, audience: audience.uid })
    return redirect(`/dashboard/users/assign/?${params}`)
  })
  return answerUndo(args, pageOf(args), answer)
}

export default function AssignToAudience() {
  return null
}
