import { type ActionFunctionArgs, redirect } from '@remix-run/node'
import { useActionData } from '@remix-run/react'
import { LogoutForm } from '~/components/layout/account-menu.tsx'
import { FormErrors } from '~/components/ui/form.tsx'
import { contextFor } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { withForm } from '~/http/respond.server.ts'
import { logout } from '~/services/accounts/accounts.server.ts'

export const meta = pageTitle('Log Out')

export async function loader() {
  return redirect('/home/')
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await contextFor(args)
  if (!ctx.viewer) return redirect('/login/')
  return withForm(args, ctx, async () => {
    await logout(ctx)
    return redirect('/login/')
  })
}

/** Seen only when the post was refused: an old page, whose token no longer holds. */
export default function Logout() {
  const refusal = useActionData<typeof action>()
  if (!refusal) return null
  return (
    <div className="stack">
      <h1>Error logging out.</h1>
      <FormErrors refusal={refusal} />
      <LogoutForm csrf={refusal.csrf} className="btn btn--primary btn--wide" />
    </div>
  )
}
