/**
 * The rows that somebody has selected in a table. A plain page sends a field for each checked box. With JavaScript one
 * field holds all of them, because a form may not have as many fields as rows can be selected.
 */
export function selectedIn(form: FormData): string[] {
  return form.getAll('uid').flatMap((value) => (typeof value === 'string' ? value.split(' ').filter(Boolean) : []))
}
