import type { ActionFunctionArgs } from '@remix-run/node'
import { type HistoryKind, historyNames } from '~/forms/history.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { text } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import type { Ctx } from '~/services/context.ts'
import { restoreRevision } from '~/services/history/history.server.ts'
import { pathsOf } from './history.server.ts'

/** The number of the revision in an address; -1, which nothing has, for any other text. */
export function revisionOf({ revision = '' }: { revision?: string }): number {
  return /^\d{1,9}$/.test(revision) ? Number(revision) : -1
}

/** Restores a revision after the question about it, and leads back to the history. */
export async function answerRestore(
  args: ActionFunctionArgs,
  ctx: Ctx,
  kind: HistoryKind,
  form: FormData,
): Promise<Response> {
  const { uid = '' } = args.params
  const { name, isChanged, leftOut } = await restoreRevision(ctx, {
    kind,
    uid,
    revision: revisionOf(args.params),
    opened: revisionOf({ revision: text(form, 'opened') }),
    ...(form.has('shownTimes') && { shownTimes: text(form, 'shownTimes') }),
  })
  const { noun } = historyNames[kind]
  const done = isChanged
    ? `The earlier revision of “${name}” has been restored.`
    : `Nothing has changed: the ${noun} “${name}” already was as it was then.`
  return redirectWithNotice(args, pathsOf(kind, uid).history + tableSearch(new URL(args.request.url).search), {
    kind: isChanged ? 'success' : 'info',
    text: [done, ...leftOut].join(' '),
  })
}
