/** What the dialogs of content share: the choices of their forms, their files, and Save. */
import type { ActionFunctionArgs } from '@remix-run/node'
import type { SentFile } from '~/components/console/send-file.ts'
import { planLabel } from '~/forms/plans.ts'
import type { SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { type MergedForm, sendMerged } from '~/http/merged-form.server.ts'
import { fileAddress } from '~/lib/file-address.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { listAccessPlans } from '~/services/access/plans.server.ts'
import type { Ctx } from '~/services/context.ts'
import { NotFound } from '~/services/errors.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { listTagTexts } from '~/services/tags/tags.server.ts'
import { endDraft } from './form-drafts.server.ts'

export function choiceOf({ uid, name }: { uid: string; name: string }) {
  return { value: uid, label: name }
}

/** Lists the site's plans and tags, for forms. */
export async function listFormChoices(ctx: Ctx) {
  const [plans, tags] = await Promise.all([listAccessPlans(ctx), listTagTexts(ctx)])
  return { plans: plans.map((plan) => ({ value: plan.uid, label: planLabel(plan) })), tags }
}

type StoredFile = { name: string; originalFileName: string; size: number }

/** A stored file as its field shows it. */
export function sentFileOf(file: StoredFile): SentFile
export function sentFileOf(file: StoredFile | null | undefined): SentFile | null
export function sentFileOf(file: StoredFile | null | undefined): SentFile | null {
  if (!file) return null
  const { name, originalFileName, size } = file
  return { name, originalFileName, size, url: fileAddress(name) }
}

/** The values that a field of a file posts: a file changes with its name and size. */
export function fileInputs(field: string, file: StoredFile | null): Record<string, string> {
  return {
    [field]: file?.name ?? '',
    [`${field}-fileName`]: file?.originalFileName ?? '',
    [`${field}-fileSize`]: String(file?.size ?? ''),
  }
}

type Saving<Saved> = {
  noun: string
  /** The page to go on to. */
  place: string
  notice: (saved: Saved) => string
  save: () => Promise<Saved>
  /** The form as it is after somebody else's save. */
  merged: (changed: ChangedMeanwhile) => MergedForm | Promise<MergedForm>
}

/** What a notice says after its sentence if others have saved something else meanwhile; empty if nobody has. */
export function keptInWords({ keptOfOthers }: { keptOfOthers: string[] }): string {
  return keptOfOthers.length > 0 ? ' Other changes that were made in the meantime were kept.' : ''
}

/** Answers Save of an edit dialog, whose form may have been saved by somebody else since. */
export async function answerSave<Saved extends { keptOfOthers: string[] }>(
  args: ActionFunctionArgs,
  ctx: SignedIn,
  form: FormData,
  { noun, place, notice, save, merged }: Saving<Saved>,
) {
  try {
    const saved = await save()
    await endDraft(ctx, form)
    const to = place + tableSearch(new URL(args.request.url).search)
    return redirectWithNotice(args, to, { kind: 'success', text: notice(saved) + keptInWords(saved) })
  } catch (error) {
    if (error instanceof NotFound) {
      throw new NotFound(
        `Someone removed this ${noun} while you were editing it, so it could not be saved. What you typed is still here.`,
      )
    }
    if (!(error instanceof ChangedMeanwhile)) throw error
    const { exchange } = args.context
    return sendMerged({ ctx, exchange, form }, error, await merged(error))
  }
}
