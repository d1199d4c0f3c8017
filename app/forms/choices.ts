import { z } from 'zod'
import { tidyLine } from '~/lib/text.ts'
import { allOfThem, anotherOne, otherFieldOf } from './field-names.ts'
import { emptyAsNull } from './optional-fields.ts'
import { textField } from './text.ts'

/** One of a few values: a group of radio buttons, or a list to choose from. */
export function oneOf<const Value extends string>(values: readonly [Value, ...Value[]], required: string) {
  return z.enum(values as [Value, ...Value[]], { errorMap: () => ({ message: required }) })
}

export type Selection = {
  /** All values, including those that are added later. `values` is then empty. */
  isAll: boolean
  values: string[]
  /** "Other" is chosen. Its text is in a separate field. */
  hasOther: boolean
}

type Options = { max: number; required?: string }

/** A choice of several values, sent by a MultiSelect or as a list by a program. `item` checks each value. */
export function selectionField(item: z.ZodType<string, z.ZodTypeDef, unknown>, { max, required }: Options) {
  const asList = (value: unknown) => (emptyAsNull(value) === null ? [] : [value].flat())
  return z
    .preprocess(asList, z.array(z.unknown()).max(max, `Please choose at most ${max.toLocaleString('en')}`))
    .transform((list, issues): Selection => {
      const values = new Set<string>()
      for (const one of list) {
        if (one === allOfThem || one === anotherOne) continue
        const parsed = item.safeParse(one)
        if (parsed.success) values.add(parsed.data)
        // Reports the problem on the whole field, where people see it.
        else issues.addIssue({ code: 'custom', message: parsed.error.issues[0]?.message ?? 'Please choose again' })
      }
      const isAll = list.includes(allOfThem)
      return { isAll, values: isAll ? [] : [...values], hasOther: !isAll && list.includes(anotherOne) }
    })
    .refine(({ isAll, values, hasOther }) => required === undefined || isAll || hasOther || values.length > 0, required)
}

/** The text beside "Other"; null if it is empty. */
export function otherField(max: number) {
  return z.preprocess(
    emptyAsNull,
    textField({ max })
      .transform((text) => text || null)
      .nullable(),
  )
}

/**
 * Requires a text in the form if "Other" is chosen. Looks at the values before the form is parsed: rules after that run
 * only if every field is right, so people would learn of the missing text one attempt later than of other mistakes.
 */
export function requireOther<Form extends z.ZodTypeAny>(form: Form, name: string, message: string) {
  return z.preprocess((values, issues) => {
    const given = Object(values) as Record<string, unknown>
    const chosen = [given[name]].flat()
    const text = given[otherFieldOf(name)] ?? ''
    const isMissing = chosen.includes(anotherOne) && !chosen.includes(allOfThem) && tidyLine(String(text)) === ''
    if (isMissing) issues.addIssue({ code: 'custom', path: [otherFieldOf(name)], message })
    return values
  }, form)
}
