/** By when the viewer is to do something, as its page shows it. */
import type { OwnDue } from '~/components/learning/due-line.tsx'
import { dueInWords } from '~/lib/due.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import { findOwnDue } from '~/services/assignments/list-due-work.server.ts'
import type { Ctx } from '~/services/context.ts'

/** Null without a due date and a note, and once it is completed. */
export async function ownDueOf(
  ctx: Ctx,
  input: { kind: 'module' | 'course'; itemUid: string },
): Promise<OwnDue | null> {
  const found = await findOwnDue(ctx, input)
  if (!found) return null
  const { dueOn, note } = found
  return { due: dueOn && dueInWords(dueOn, dayOf(ctx.now, ctx.site.timeZone)), note }
}
