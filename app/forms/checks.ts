/** What is checked before it is published. Terms are checked too; they are public as soon as they are saved. */
export const checkedKinds = ['course', 'lecture', 'module', 'video', 'glossary'] as const
export type CheckedKind = (typeof checkedKinds)[number]
