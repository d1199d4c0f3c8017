/** A change in the audit log. `to` is where the thing is in the console, or where the change can be undone. */
export type AuditRow = {
  id: string
  at: string
  who: string
  kind: string
  target: string | null
  targetUid: string
  to: string | null
  change: string
  undo: { label: string; to: string } | null
  details: { field: string; before: string | null; after: string | null }[]
}

export type AuditLogView = {
  rows: AuditRow[]
  filters: { person: string; kind: string; target: string; from: string; to: string }
  /** The addresses of the next page and of the file with everything found. */
  next: string | null
  /** The address of the first page; null if this is it. */
  newest: string | null
  file: string
  timeZone: string
}
