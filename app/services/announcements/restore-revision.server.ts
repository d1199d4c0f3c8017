/** Brings back what a message said at an earlier revision. Its recipients stay as they are. */
import { type MessageValues, messageFieldLabels, messageForm } from '~/forms/announcements.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { findKnownParts } from '../access/known-parts.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Invalid } from '../errors.ts'
import {
  parseRestored,
  pickFields,
  planRestore,
  type RestoredRevision,
  type RestoreInput,
  type RestorePlan,
} from '../revisions.ts'
import {
  getAnnouncementToEdit,
  getEditable,
  type MessageToEdit,
  requireShownTimes,
} from './read-announcement.server.ts'
import { writeChanges } from './save-announcement.server.ts'

/** Says what bringing back this revision would change. */
export async function planAnnouncementRestore(
  ctx: Ctx,
  input: { uid: string; revision: number },
): Promise<RestorePlan<MessageValues>> {
  requireAdmin(ctx)
  return planOf(ctx, await getAnnouncementToEdit(ctx, { announcementUid: input.uid }), input)
}

/** Saves a message as it was at an earlier revision. Repeating it changes nothing; one that was sent never changes. */
export async function restoreAnnouncementRevision(ctx: Ctx, input: RestoreInput): Promise<RestoredRevision> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const row = await getEditable(ctx, input.uid)
    requireShownTimes(ctx, row, { shown: input.shownTimes, advice: 'Check the time, and restore it again.' })
    const { changes, leftOut } = await planOf(ctx, row, input)
    const fields = Object.keys(changes) as (keyof MessageValues)[]
    const values = parseRestored(messageForm.partial(), changes, messageFieldLabels) as Partial<MessageValues>
    const { name } = await writeChanges(ctx, row, { changes: pickFields(values, fields), isRestore: true }).catch(
      (error: unknown) => {
        // The question has no fields that could be marked.
        throw error instanceof Invalid ? new Invalid(error.message) : error
      },
    )
    return { name, isChanged: fields.length > 0, leftOut }
  })
}

function planOf(
  ctx: Ctx,
  { uid, values, revision: present }: Pick<MessageToEdit, 'uid' | 'values' | 'revision'>,
  { revision, opened }: Omit<RestoreInput, 'uid'>,
): Promise<RestorePlan<MessageValues>> {
  return planRestore<MessageValues>(ctx, {
    entity: 'announcement',
    entityUid: uid,
    now: { state: values, revision: present },
    revision,
    opened,
    adapt: (earlier) => withKnownFile(ctx, earlier, values),
  })
}

/** Keeps the present attachment where the earlier one is no longer stored. */
async function withKnownFile(ctx: Ctx, earlier: MessageValues, now: MessageValues) {
  const { attachment } = earlier
  if (attachment === null || attachment === now.attachment) return { state: earlier, leftOut: [] }
  const { files } = await findKnownParts(ctx, { files: [attachment] })
  if (files.has(attachment)) return { state: earlier, leftOut: [] }
  const sentence = 'The attachment from that revision is no longer stored, so the current one was kept.'
  return { state: { ...earlier, attachment: now.attachment }, leftOut: [sentence] }
}
