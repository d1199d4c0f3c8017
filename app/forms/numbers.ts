import { z } from 'zod'
import { emptyAsNull } from './optional-fields.ts'

type Options = {
  min: number
  max: number
  /** The most digits after the decimal point. Whole numbers only if it is missing. */
  decimals?: number
  /** The unit beside the field, such as `%`. People may type it after the number. */
  unit?: string
  /** The message for an empty field. Without it the field may be empty, and its value is null. */
  required?: string
  /** Replaces the message that is made from the limits. */
  problem?: string
}

/** A number that people type or programs send. */
export function numberField(options: Options & { required: string }): z.ZodType<number, z.ZodTypeDef, unknown>
export function numberField(options: Options): z.ZodType<number | null, z.ZodTypeDef, unknown>
export function numberField(options: Options): z.ZodType<number | null, z.ZodTypeDef, unknown> {
  const { min, max, decimals = 0, unit = '', required, problem = problemOf(options) } = options
  const pattern =
    decimals === 0
      ? /^[+-]?\d{1,15}$/
      : new RegExp(`^[+-]?(?:\\d{1,15}(?:\\.\\d{1,${decimals}})?|\\.\\d{1,${decimals}})$`)
  const tidy = (value: unknown) => {
    if (typeof value === 'number') return String(value)
    if (typeof value !== 'string') return emptyAsNull(value)
    const text = value.trim()
    return emptyAsNull(unit !== '' && text.endsWith(unit) ? text.slice(0, -unit.length).trim() : text)
  }
  const number = z
    .string({ errorMap: (_, { data }) => ({ message: data === null ? (required ?? problem) : problem }) })
    .regex(pattern, problem)
    // Adding zero turns -0 into 0.
    .transform((text) => Number(text) + 0)
    .refine((value) => value >= min && value <= max, problem)
  return z.preprocess(tidy, required === undefined ? number.nullable() : number)
}

function problemOf({ min, max, decimals = 0 }: Options): string {
  const kind = decimals === 0 ? 'a whole number' : 'a number'
  const digits = decimals === 0 ? '' : `, with at most ${decimals === 1 ? 'one decimal' : `${decimals} decimals`}`
  return `Please enter ${kind} from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}${digits}.`
}
