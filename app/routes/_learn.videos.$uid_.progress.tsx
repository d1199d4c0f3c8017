import type { ActionFunctionArgs } from '@remix-run/node'
import { requireLearner } from '~/http/context.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerOf, readProgress } from '~/pages/films.server.ts'
import { recordFilmProgress } from '~/services/progress/progress.server.ts'

/** What the viewer tells as the video plays, and when it is left. */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireLearner(args)
  const told = await withForm(args, ctx, async (form) => {
    await recordFilmProgress(ctx, { kind: 'video', uid: args.params.uid ?? '', ...readProgress(form) })
    return null
  })
  return answerOf(told)
}
