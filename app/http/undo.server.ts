import type { Notice } from '~/lib/notice.ts'
import { redirectWithNotice } from './flash.server.ts'
import { withForm } from './respond.server.ts'

type Args = Parameters<typeof redirectWithNotice>[0] & Parameters<typeof withForm>[0]

/**
 * Answers the Undo of a removal: `restore` brings things back and returns what to say about it. A refusal is a notice on
 * the list too, because the address of an Undo has no page.
 */
export async function answerUndo(
  args: Args,
  ctx: Parameters<typeof withForm>[1],
  list: string,
  restore: (form: FormData) => Promise<string | Pick<Notice, 'kind' | 'text'>>,
): Promise<Response> {
  const answer = await withForm(args, ctx, async (form) => {
    const said = await restore(form)
    return redirectWithNotice(args, list, typeof said === 'string' ? { kind: 'info', text: said } : said)
  })
  if (answer instanceof Response) return answer
  return redirectWithNotice(args, list, { kind: 'error', text: answer.data.message })
}
