import type { Refused } from './form.tsx'

/**
 * What a form says when its post got no answer at all, as when the network is away: the page stays, with what was typed. A redirect or a page
 * that was thrown is an answer.
 */
export async function whenUnanswered<T, U>(answer: Promise<T>, say: (message: string) => U): Promise<T | U> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return say(error.message || 'The server could not be reached. Please try again.')
  }
}

export function unansweredRefusal(message: string): Refused & { csrf: string } {
  return { message, fieldErrors: {}, values: {}, csrf: '' }
}
