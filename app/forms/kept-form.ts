/** A console form that was posted without JavaScript after its session had ended: what the page that brings it back shows. */
export type KeptForm = {
  action: string
  login: string
  fields: [name: string, value: string][]
  /** Of the fields that people type into. Choices go along unseen: their names are not for somebody who is signed out. */
  labels: Record<string, string>
}

const labelPrefix = '__label-'

/** Under this name a field's label goes along with it. */
export function labelFieldOf(name: string): string {
  return labelPrefix + name
}

/** Tells the labels from the other fields. */
export function splitLabels(sent: [name: string, value: string][]): Pick<KeptForm, 'fields' | 'labels'> {
  const isLabel = ([name]: [string, string]) => name.startsWith(labelPrefix)
  const labels = sent.filter(isLabel).map(([name, label]) => [name.slice(labelPrefix.length), label])
  return { fields: sent.filter((field) => !isLabel(field)), labels: Object.fromEntries(labels) }
}
