import { Conflict, ServiceError } from '~/services/errors.ts'

/** The codes of services that compare a list with the one that the form was opened with. */
const conflicts = new Set(['modules.not_in_step', 'chapters.not_in_step', 'catalog.not_in_step'])

type List = {
  form: FormData
  /** The field with the list that the form was opened with. */
  opened: string
  /** What people call the list: "order". */
  noun: string
}

export function isListConflict(error: unknown): boolean {
  return error instanceof ServiceError && conflicts.has(error.code)
}

/**
 * Returns what to throw when a list that people arrange is refused. After a conflict the form goes on from the list that
 * is stored now, so what it was opened with is not sent back. After any other refusal it is: otherwise the next save
 * would overwrite what somebody else has saved meanwhile. Refusals name no fields, because the page shows none.
 */
export function refusalOfList(error: unknown, { form, opened, noun }: List): unknown {
  if (!(error instanceof ServiceError)) return error
  if (!isListConflict(error)) return new Conflict(error.code, error.message)
  form.delete(opened)
  const choice = `Your ${noun} is still here: save again to use it, or press Reset to see the other one.`
  return new Conflict(error.code, `${error.message} ${choice}`)
}
