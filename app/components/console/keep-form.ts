import type { ClientActionFunctionArgs } from '@remix-run/react'
import { answered, whenUnanswered } from '~/browser/failed-posts.ts'
import { dropDraftHere } from '~/browser/kept-drafts.ts'
import { redirectTarget } from '~/browser/remix-internals.ts'
import { discardDraft, draftKeyField, offeredKeyField } from '~/forms/draft-fields.ts'
import { formIdField } from '~/forms/form-id.ts'
import { stopViewingPath } from '~/lib/viewing.ts'

type Texts = Record<string, string>

const signedOut =
  'You have been logged out. Your changes are still here. Log in again in another tab, then press the button again.'

const viewing =
  'You are viewing as somebody else in this browser. Your changes are still here. Stop viewing in another tab, then press the button again.'

/**
 * Runs a console route's action for its clientAction, and keeps the dialog open with all that was typed if the action
 * fails: when the server does not answer or fails (`sentence`, in the words of the specification), when the session has
 * ended or views as somebody else, and when the edited thing no longer exists.
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
    // The status of a refusal is lost on the way. Without one, the router would reload a page that no longer exists.
    return isGone(answer) ? answered(answer, 404) : answer
  } catch (error) {
    if (error instanceof Response && leadsTo(error, stopViewingPath)) return answered(refusalOf(form, viewing), 403)
    if (error instanceof Response && !leadsTo(error, '/login/')) dropDraftOf(form)
    if (!(error instanceof Response) || !leadsTo(error, '/login/')) throw error
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
  return { message, fieldErrors: {} as Texts, values, repeated, formId: values[formIdField], csrf: '' }
}

/** A form that leads elsewhere has been saved, or its draft was discarded. */
function dropDraftOf(form: FormData): void {
  const field = form.get('intent') === discardDraft ? offeredKeyField : draftKeyField
  const formKey = form.get(field)
  if (typeof formKey === 'string') dropDraftHere(formKey)
}

function isGone(answer: unknown): boolean {
  return (answer as { isGone?: boolean } | null | undefined)?.isGone === true
}

function leadsTo(answer: Response, path: string): boolean {
  const to = redirectTarget(answer) ?? ''
  return URL.canParse(to, window.location.href) && new URL(to, window.location.href).pathname === path
}
