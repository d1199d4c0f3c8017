import type { ShouldRevalidateFunctionArgs } from '@remix-run/react'
import { isRefused } from '~/browser/layout-revalidation.ts'
import type { ReturnedRows } from './view.ts'

/** True after an answer of the dialog that saved nothing: a refusal, or a form with a row more or less. */
export function hasSavedNothing(args: ShouldRevalidateFunctionArgs): boolean {
  const answer = args.actionResult as Partial<ReturnedRows> | null | undefined
  return isRefused(args) || answer?.rows !== undefined
}

/** The `shouldRevalidate` of the dialog: what was typed goes on with the form that was opened. */
export function revalidatesAudience(args: ShouldRevalidateFunctionArgs): boolean {
  return !hasSavedNothing(args) && args.defaultShouldRevalidate
}
