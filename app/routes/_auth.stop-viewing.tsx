import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect, redirectDocument } from '@remix-run/node'
import { Link, useActionData } from '@remix-run/react'
import { useShell } from '~/components/layout/shell.ts'
import { StopViewing } from '~/components/layout/stop-viewing.tsx'
import { FormErrors } from '~/components/ui/form.tsx'
import { contextFor, ownContextOf } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { withButton } from '~/http/respond.server.ts'
import { stopViewing } from '~/services/sessions/view-as.server.ts'

const users = '/dashboard/users/'

export const meta = pageTitle('Stop Viewing')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await contextFor(args)
  return ctx.viewAs ? null : redirect(ctx.viewer ? users : '/login/')
}

/** Ends the view of this session and leads to the dialog of the person. */
export async function action(args: ActionFunctionArgs) {
  const ctx = await contextFor(args)
  // The time was over already.
  if (!ctx.viewAs) return redirectDocument(users)
  return withButton(args, ctx, async () => {
    const { userUid } = await stopViewing(await ownContextOf(args.context.exchange))
    return redirectDocument(userUid === null ? users : `${users}${userUid}/`)
  })
}

/** Shown to admins who open the console meanwhile, and when Stop was refused because its page was too old. */
export default function StopViewingPage() {
  const { csrf, viewing } = useShell()
  const refusal = useActionData<typeof action>()
  return (
    <div className="stack">
      <h1>You are viewing as {viewing?.name ?? 'somebody else'}</h1>
      <FormErrors refusal={refusal} />
      <p className="muted">The console is for your own account. Stop viewing to use it.</p>
      <StopViewing csrf={refusal?.csrf ?? csrf} className="btn btn--primary btn--wide" />
      <p>
        <Link to="/home/">Back to the learner area</Link>
      </p>
    </div>
  )
}
