import type { ClientActionFunctionArgs } from '@remix-run/react'
import { whenUnanswered } from '../ui/unanswered.ts'

type Texts = Record<string, string>

/**
 * For a console route's clientAction: where a post got no answer, or the server failed, the dialog stays with all that was typed and says
 * so in the words of the specification.
 */
export async function keepForm<T>(
  { request, serverAction }: ClientActionFunctionArgs,
  sentence: string | ((form: FormData) => string),
) {
  const form = await request.clone().formData()
  return whenUnanswered(serverAction<T>(), () => {
    const values: Texts = {}
    const repeated: Record<string, string[]> = {}
    for (const name of new Set(form.keys())) {
      const texts = form.getAll(name).filter((value) => typeof value === 'string')
      values[name] = texts.at(-1) ?? ''
      if (texts.length > 1) repeated[name] = texts
    }
    const message = typeof sentence === 'string' ? sentence : sentence(form)
    return { message, fieldErrors: {} as Texts, values, repeated, csrf: '' }
  })
}
