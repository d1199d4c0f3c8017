import { redirectWithNotice } from './flash.server.ts'
import type { withForm } from './respond.server.ts'

type Answer<T> = Awaited<ReturnType<typeof withForm<T>>>

/**
 * The answer to a button such as the Undo of a removal. Its address has no page, so a refusal is shown as a notice on the list too.
 */
export async function answerUndo(
  args: Parameters<typeof redirectWithNotice>[0],
  list: string,
  answer: Answer<Response>,
): Promise<Response> {
  if (answer instanceof Response) return answer
  return redirectWithNotice(args, list, { kind: 'error', text: answer.data.message })
}

/**
 * The answer to a question before something is removed. If it is gone, such as after a double click, the question's page
 * is gone too, so the list says so.
 */
export async function answerRemoval<T>(
  args: Parameters<typeof redirectWithNotice>[0],
  list: string,
  answer: Answer<T>,
): Promise<Answer<T> | Response> {
  const isGone = typeof answer === 'object' && answer !== null && 'data' in answer && answer.data.isGone
  return isGone ? redirectWithNotice(args, list, { kind: 'info', text: 'It has been removed already.' }) : answer
}
