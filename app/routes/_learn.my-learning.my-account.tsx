import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react'
import { typedValues, whenFailed } from '~/browser/failed-posts.ts'
import { type Account, type AccountAnswer, AccountPage } from '~/components/accounts/account-page.tsx'
import { useShell } from '~/components/layout/shell.ts'
import { addressErrors, isNewEmail, updateFailed } from '~/forms/profile-rules.ts'
import { requireLearner, type SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { ownAccountOf } from '~/pages/own-account.server.ts'
import { createAccessToken, revokeAccessToken } from '~/services/accounts/access-tokens.server.ts'
import { updateUser } from '~/services/accounts/profile.server.ts'
import { Invalid } from '~/services/errors.ts'
import { endOtherSessions, endOwnSession } from '~/services/sessions/sessions.server.ts'
import { getOwnMailChoices, type MailChoices, setOwnMailChoices } from '~/services/users/mail-choices.server.ts'

const here = '/my-learning/my-account/'

export async function loader(args: LoaderFunctionArgs): Promise<Account> {
  return ownAccountOf(await requireLearner(args))
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireLearner(args)
  return withForm(args, ctx, async (form) => {
    if (text(form, 'intent') === 'create-token') {
      const name = text(form, 'name')
      const { token } = await createAccessToken(ctx, {
        uid: text(form, 'uid'),
        name,
        scope: text(form, 'scope'),
        days: text(form, 'days'),
        currentPassword: text(form, 'currentPassword'),
      })
      return { token, name: name.trim() }
    }
    const said = await doIntent(ctx, form)
    return said ? redirectWithNotice(args, here, { kind: 'success', text: said }) : redirect(here)
  })
}

const mailsInWords = {
  messages: 'messages by email',
  reminders: 'due-date reminders',
  reports: 'reports by email',
}

/** Says what has changed. */
function saidOfMails(before: MailChoices, after: MailChoices): string {
  const kinds = ['messages', 'reminders', 'reports'] as const
  const changed = kinds.filter((kind) => before[kind] !== after[kind])
  const sentences = changed.map((kind) => `You will ${after[kind] ? 'no longer ' : ''}get ${mailsInWords[kind]}.`)
  if (before.tracking !== after.tracking) {
    sentences.push(`What you do with emails is ${after.tracking ? 'no longer counted' : 'counted again'}.`)
  }
  return sentences.join(' ') || 'Your choice of emails is as it was.'
}

const alreadyYours = 'This is already your email address.'

/** Does what the button asks and returns a sentence about it; null for an unknown intent. */
async function doIntent(ctx: SignedIn, form: FormData): Promise<string | null> {
  switch (text(form, 'intent')) {
    case 'change-email': {
      const typed = { email: text(form, 'email'), currentPassword: text(form, 'currentPassword') }
      const errors = addressErrors(typed)
      const [message] = Object.values(errors)
      if (message !== undefined) throw new Invalid(message, errors)
      if (!isNewEmail(typed, ctx.viewer.email)) throw new Invalid(alreadyYours, { email: alreadyYours })
      await updateUser(ctx, { userUid: ctx.viewer.uid, ...typed })
      return 'Your email address has been changed.'
    }
    case 'opt-out': {
      const before = await getOwnMailChoices(ctx)
      const choices = {
        messages: form.has('isOptedOut'),
        reminders: form.has('noReminders'),
        reports: form.has('noReports'),
        tracking: form.has('noTracking'),
      }
      await setOwnMailChoices(ctx, choices)
      return saidOfMails(before, choices)
    }
    case 'end-session':
      await endOwnSession(ctx, { sessionUid: text(form, 'session') })
      return 'That session has been logged out.'
    case 'end-others':
      await endOtherSessions(ctx)
      return 'You are logged out everywhere else.'
    case 'revoke-token': {
      const { name } = await revokeAccessToken(ctx, { tokenUid: text(form, 'token') })
      return `The token "${name}" is revoked.`
    }
    default:
      return null
  }
}

/** The specification gives the sentence about a person's own data (L-253); these follow its wording. */
const failedTexts: Record<string, string> = {
  'create-token': 'Error creating the token. Please try again later.',
  'revoke-token': 'Error revoking the token. Please try again later.',
  'end-session': 'Error signing out. Please try again later.',
  'end-others': 'Error signing out. Please try again later.',
}

export async function clientAction({ request, serverAction }: ClientActionFunctionArgs) {
  const values = typedValues(await request.clone().formData())
  return whenFailed(serverAction<typeof action>(), failedTexts[values.intent ?? ''] ?? updateFailed, values)
}

export default function MyAccount() {
  const { csrf } = useShell()
  const answer = useActionData<typeof action>() as AccountAnswer | undefined
  return <AccountPage account={useLoaderData<typeof loader>()} csrf={csrf} answer={answer} />
}
