import { neverSentBack } from '~/forms/never-sent-back.ts'
import type { Refused } from '~/forms/refused.ts'

/**
 * What a form says when its post got no answer at all, as when the network is away: the page stays, with what was typed. A redirect or a page
 * that was thrown is an answer. It answers 503, after which the router does not load the page again: that would fail, too, and take the
 * page away.
 */
export async function whenUnanswered<T>(answer: Promise<T>, say: () => object): Promise<T | Response> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // What the browser says of it ("Failed to fetch") is for nobody.
    return answered(say(), 503)
  }
}

/** What a clientAction answers in place of the server. As a Response, since the router sees the status of nothing else. */
export function answered(body: unknown, status: number): Response {
  return Response.json(body, { status })
}

export function unansweredRefusal(message: string, values: Refused['values'] = {}): Refused & { csrf: string } {
  return { message, fieldErrors: {}, values, csrf: '' }
}

/** As the server gives back what was typed. */
export function typedValues(form: FormData): Refused['values'] {
  const values: Refused['values'] = {}
  for (const [name, value] of form) {
    if (typeof value === 'string' && !neverSentBack.test(name)) values[name] = value
  }
  return values
}

/** The same for every failure that is no answer of the form's own: one sentence, and what was typed stays. */
export async function whenFailed<T>(
  answer: Promise<T>,
  sentence: string,
  values?: Refused['values'],
): Promise<T | Response> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Response) throw error
    return answered(unansweredRefusal(sentence, values), 503)
  }
}
