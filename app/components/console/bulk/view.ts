/** What a page shows of a bulk operation. The server makes it (pages/bulk-operation.server.ts). */
export type BulkView = {
  uid: string
  /** `prepared`: nobody has confirmed yet. */
  status: 'prepared' | 'running' | 'done' | 'canceled' | 'failed'
  /** "Move Learners". */
  title: string
  /** What is changed: "learner", "learners". */
  noun: readonly [one: string, many: string]
  /** What has been done with them: "moved". */
  past: string
  startedAt: string
  total: number
  /** Those that failed or were left unchanged are among them. */
  done: number
  failed: number
  /** Those that were already as they should be. */
  unchanged: number
  /** The first of them. */
  failures: { itemUid: string; label: string; reason: string }[]
}
