import { z } from 'zod'

/** Boxes of one name: nothing, one text or several, as forms send them; always a list. */
export function listField(options: { required?: string } = {}) {
  const { required } = options
  const list = z.preprocess(
    (value) => (value === undefined || value === '' ? [] : Array.isArray(value) ? value : [value]),
    z.array(z.string()),
  )
  return required === undefined ? list : list.refine((values) => values.length > 0, required)
}
