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
