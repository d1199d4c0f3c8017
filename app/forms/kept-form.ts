/**
 * A console form that was posted without JavaScript after its session had ended, as the page shows it that brings it
 * back.
 */
export type KeptForm = {
  action: string
  login: string
  fields: [name: string, value: string][]
  /**
   * The labels of the fields that people type into. Choices are kept but not shown, because a signed-out visitor may
   * not see their names.
   */
  labels: Record<string, string>
}

const labelPrefix = '__label-'

/** Returns the name under which a field's label is sent with it. */
export function labelFieldOf(name: string): string {
  return labelPrefix + name
}

/** Separates the labels from the other fields. */
export function splitLabels(sent: [name: string, value: string][]): Pick<KeptForm, 'fields' | 'labels'> {
  const isLabel = ([name]: [string, string]) => name.startsWith(labelPrefix)
  const labels = sent.filter(isLabel).map(([name, label]) => [name.slice(labelPrefix.length), label])
  return { fields: sent.filter((field) => !isLabel(field)), labels: Object.fromEntries(labels) }
}
