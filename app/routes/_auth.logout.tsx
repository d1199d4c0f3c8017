import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { useActionData } from '@remix-run/react'
import { LogoutForm } from '~/components/layout/account-menu.tsx'
import { useShell } from '~/components/layout/shell.ts'
import { FormErrors } from '~/components/ui/form.tsx'
import { contextFor } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { withButton } from '~/http/respond.server.ts'
import { logout } from '~/services/accounts/accounts.server.ts'

export const meta = pageTitle('Log Out')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await contextFor(args)
  return ctx.viewer ? null : redirect('/login/')
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await contextFor(args)
  if (!ctx.viewer) return redirect('/login/')
  return withButton(args, ctx, async () => {
    await logout(ctx)
    return redirect('/login/')
  })
}

/** Shown when the menu's post was refused because its page was too old, and to visitors who open this address. */
export default function Logout() {
  const { csrf } = useShell()
  const refusal = useActionData<typeof action>()
  return (
    <div className="stack">
      <h1>{refusal ? 'Error logging out.' : 'Log Out'}</h1>
      <FormErrors refusal={refusal} />
      <LogoutForm csrf={refusal?.csrf ?? csrf} className="btn btn--primary btn--wide" />
    </div>
  )
}
