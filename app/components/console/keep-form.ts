import type { ClientActionFunctionArgs } from '@remix-run/react'
import { answered, whenUnanswered } from '~/browser/failed-posts.ts'
import { redirectTarget } from '~/browser/remix-internals.ts'

type Texts = Record<string, string>

const signedOut =
  'You have been signed out. What you typed is still here: log in again in another tab, then press the button once more.'

/**
 * For a console route's clientAction: the dialog stays, with all that was typed, where a post got no answer or the server failed (in the
 * words of the specification), where the session has ended meanwhile, and where what it is about is gone.
 */
export async function keepForm<T>(
  { request, serverAction }: ClientActionFunctionArgs,
  sentence: string | ((form: FormData) => string),
) {
  const form = await request.clone().formData()
  try {
    const answer = await whenUnanswered(serverAction<T>(), () =>
      refusalOf(form, typeof sentence === 'string' ? sentence : sentence(form)),
    )
    // A refusal's status is lost on the way; without one the router would load the page that is no longer there.
    return isGone(answer) ? answered(answer, 404) : answer
  } catch (error) {
    if (!(error instanceof Response) || !leadsToLogin(error)) throw error
    return answered({ ...refusalOf(form, signedOut), isSignedOut: true }, 401)
  }
}

function refusalOf(form: FormData, message: string) {
  const values: Texts = {}
  const repeated: Record<string, string[]> = {}
  for (const name of new Set(form.keys())) {
    const texts = form.getAll(name).filter((value) => typeof value === 'string')
    values[name] = texts.at(-1) ?? ''
    if (texts.length > 1) repeated[name] = texts
  }
  return { message, fieldErrors: {} as Texts, values, repeated, csrf: '' }
}

function isGone(answer: unknown): boolean {
  return (answer as { isGone?: boolean } | null | undefined)?.isGone === true
}

function leadsToLogin(answer: Response): boolean {
  const to = redirectTarget(answer) ?? ''
  return URL.canParse(to, window.location.href) && new URL(to, window.location.href).pathname === '/login/'
}
