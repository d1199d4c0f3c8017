import type { ActionFunctionArgs } from '@remix-run/node'
import { requireLearner } from '~/http/context.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerOf, readProgress } from '~/pages/films.server.ts'
import { recordFilmProgress } from '~/services/progress/progress.server.ts'

/** Records the progress that the page sends while the lecture plays and when the viewer leaves it. */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireLearner(args)
  const refused = await withForm(args, ctx, async (form) => {
    await recordFilmProgress(ctx, { kind: 'lecture', uid: args.params.uid ?? '', ...readProgress(form) })
    return null
  })
  return answerOf(refused)
}
