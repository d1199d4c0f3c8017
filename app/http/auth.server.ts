import { Authenticator } from 'remix-auth'
import { FormStrategy } from 'remix-auth-form'
import { type Account, login } from '~/services/accounts/accounts.server.ts'
import type { Ctx } from '~/services/context.ts'
import { text } from './respond.server.ts'

/**
 * Signs in with the form. The strategy reads the form, and accounts decides. Nothing may have read the body of
 * `request` before.
 */
export function signInWithForm(ctx: Ctx, request: Request): Promise<Account> {
  const authenticator = new Authenticator<Account>()
  authenticator.use(
    new FormStrategy(({ form }) => login(ctx, { username: text(form, 'username'), password: text(form, 'password') })),
    'form',
  )
  return authenticator.authenticate('form', request)
}
