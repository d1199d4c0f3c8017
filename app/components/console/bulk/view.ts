/** What a page shows of a bulk operation. The server makes it (pages/bulk-operation.server.ts). */
export type BulkView = {
  uid: string
  status: 'running' | 'done' | 'canceled' | 'failed'
  /** "Move learners to v2 of Dose-response". */
  title: string
  startedAt: string
  total: number
  /** Those that failed are among them. */
  done: number
  failed: number
  /** The first of them. */
  failures: { itemUid: string; label: string; reason: string }[]
}
