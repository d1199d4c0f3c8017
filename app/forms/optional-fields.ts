import { z } from 'zod'
import { textField } from './text.ts'

/** An HTML form sends an empty text; a program sends nothing. */
export const emptyAsNull = (value: unknown) => (value === undefined || value === '' ? null : value)

/** The name that completeUpload returned; null without a file. */
export const fileNameField = z.preprocess(emptyAsNull, textField({ max: 300 }).nullable())

/** An HTML checkbox sends `on`; programs send true, false or nothing. */
export const tick = z.preprocess((value) => (value === 'on' ? true : (value ?? undefined)), z.boolean().optional())

export const tickOr = (whenMissing: boolean) => tick.transform((value) => value ?? whenMissing)
