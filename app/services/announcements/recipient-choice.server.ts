/**
 * Choices of recipients that are not saved: what an admin has added to a message and removed from it while its dialog is
 * open. They are kept as drafts of their author, so that they survive filters, pages and a closed window. Saving the
 * message takes their steps.
 */
import { type DraftFields, draftKeyOf } from '~/forms/draft-fields.ts'
import {
  mostRecipients,
  mostSteps,
  type RecipientStep,
  readSteps,
  recipientStep,
  tooManyChosen,
  tooManySteps,
  withStep,
} from '~/forms/recipients.ts'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { changeDraft, findDraft, keepDraft, takeDraft } from '../drafts/drafts.server.ts'
import { Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'

const stepsField = 'steps'

/** Returns the steps of the viewer's own choice; none for one that is not there. */
export async function getRecipientChoice(ctx: Ctx, input: { choiceUid: string }): Promise<RecipientStep[]> {
  requireAdmin(ctx)
  if (!isUid(input.choiceUid)) return []
  const draft = await findDraft(ctx, { formKey: keyOf(input.choiceUid) })
  return stepsIn(draft?.fields ?? null)
}

/** Takes the steps of the viewer's own choice, which ends with that. */
export async function takeRecipientChoice(ctx: Ctx, input: { choiceUid: string }): Promise<RecipientStep[]> {
  requireAdmin(ctx, 'write')
  return isUid(input.choiceUid) ? stepsIn(await takeDraft(ctx, { formKey: keyOf(input.choiceUid) })) : []
}

/** Copies the viewer's own choice to a new one. Returns false, and copies nothing, if there is none. */
export async function copyRecipientChoice(ctx: Ctx, input: { from: string; to: string }): Promise<boolean> {
  requireAdmin(ctx, 'write')
  const { from, to } = input
  if (!isUid(to)) throw new NotFound()
  const draft = isUid(from) ? await findDraft(ctx, { formKey: keyOf(from) }) : null
  if (!draft) return false
  await keepDraft(ctx, { formKey: keyOf(to), fields: draft.fields, typedAt: ctx.now.getTime() })
  return true
}

/** Adds a step to the viewer's choice, which begins with its first step. */
export async function changeRecipientChoice(
  ctx: Ctx,
  input: { choiceUid: string; step: RecipientStep },
): Promise<RecipientStep[]> {
  requireAdmin(ctx, 'write')
  if (!isUid(input.choiceUid)) throw new NotFound()
  const step = parseInput(recipientStep, input.step)
  let steps: RecipientStep[] = []
  await changeDraft(ctx, {
    formKey: keyOf(input.choiceUid),
    change: (fields) => {
      steps = withStep(stepsIn(fields), step)
      if (steps.length > mostSteps) throw new Invalid(tooManySteps)
      const chosen = steps.reduce((sum, one) => sum + (one.kind === 'add' ? one.uids.length : 0), 0)
      if (chosen > mostRecipients) throw new Invalid(tooManyChosen)
      return [[stepsField, JSON.stringify(steps)]]
    },
  })
  return steps
}

function keyOf(choiceUid: string): string {
  return draftKeyOf('recipients', { uid: choiceUid, isNew: false })
}

function stepsIn(fields: DraftFields | null): RecipientStep[] {
  const [, text = '[]'] = fields?.find(([name]) => name === stepsField) ?? []
  return readSteps(text)
}
