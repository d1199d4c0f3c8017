import { neverSentBack } from '~/forms/never-sent-back.ts'
import type { Refused } from '~/forms/refused.ts'

/**
 * Returns a form's own message if its post gets no answer at all, for example offline. The page and its typed values
 * stay. A redirect or a thrown page counts as an answer. The status is 503, after which the router does not reload the
 * page's data: that would fail too and replace the page.
 */
export async function whenUnanswered<T>(answer: Promise<T>, say: () => object): Promise<T | Response> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // The browser's own words ("Failed to fetch") help nobody.
    return answered(say(), 503)
  }
}

/**
 * A clientAction's answer in place of the server's. It is a Response, because the router reads the status of nothing
 * else.
 */
export function answered(body: unknown, status: number): Response {
  return Response.json(body, { status })
}

export function unansweredRefusal(message: string, values: Refused['values'] = {}): Refused & { csrf: string } {
  return { message, fieldErrors: {}, values, csrf: '' }
}

/** The typed values in the shape in which the server sends them back. */
export function typedValues(form: FormData): Refused['values'] {
  const values: Refused['values'] = {}
  for (const [name, value] of form) {
    if (typeof value === 'string' && !neverSentBack.test(name)) values[name] = value
  }
  return values
}

/** The same for every failure except the form's own answers: shows one sentence and keeps the typed values. */
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
