import { data } from '@remix-run/node'
import type { Ctx } from '~/services/context.ts'
import type { ChangedMeanwhile } from '~/services/revisions.ts'
import type { Exchange } from './exchange.server.ts'
import { type Refusal, refusalOf } from './respond.server.ts'

export type MergedForm = {
  /** A new form id makes the form start over with the merged values. */
  formId: string
  /**
   * The values that the form posts for a field that others changed, by the names of its inputs; an empty list for an
   * input that posts nothing.
   */
  valuesOf: (field: string) => Record<string, string | string[]>
}

/**
 * Answers a save after another person's save: the form comes back with the fields that only the other person changed, a
 * message beside each field that both changed, and the new revision, so that saving again overwrites knowingly.
 */
export async function sendMerged(
  { ctx, exchange, form }: { ctx: Ctx; exchange: Exchange; form: FormData },
  changed: ChangedMeanwhile,
  merged: MergedForm,
): Promise<ReturnType<typeof data<Refusal>>> {
  for (const field of changed.takenOver) {
    for (const [name, value] of Object.entries(merged.valuesOf(field))) {
      form.delete(name)
      for (const one of [value].flat()) form.append(name, one)
    }
  }
  form.set('revision', String(changed.now.revision))
  const { message, fieldErrors } = changed
  return data(await refusalOf(ctx, exchange, form, { message, fieldErrors, formId: merged.formId }), { status: 409 })
}
