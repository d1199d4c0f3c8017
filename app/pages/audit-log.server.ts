/** The audit log in the console: its rows in words, and the file with all of them. */
import type { AuditLogView, AuditRow } from '~/components/console/audit/view.ts'
import { type AuditFilters, auditFilters, auditKinds } from '~/forms/audit-log.ts'
import { type HistoryKind, historyNames } from '~/forms/history.ts'
import { deletedUsersPath } from '~/forms/trash.ts'
import type { CsvRow } from '~/lib/csv.ts'
import { formatMoment } from '~/lib/dates.ts'
import { cutText } from '~/lib/text.ts'
import { type LoggedChange, listAuditLog } from '~/services/audit/audit-log.server.ts'
import type { Ctx } from '~/services/context.ts'

const path = '/dashboard/audit-log/'

export function auditFiltersOf(params: URLSearchParams): AuditFilters {
  return auditFilters.parse(Object.fromEntries(params))
}

export async function getAuditLogPage(ctx: Ctx, filters: AuditFilters): Promise<AuditLogView> {
  const { items, endCursor, hasNextPage } = await listAuditLog(ctx, filters)
  const { after, ...shown } = filters
  const query = new URLSearchParams(Object.entries(shown).filter(([, value]) => value !== ''))
  const next = new URLSearchParams(query)
  next.set('after', endCursor ?? '')
  return {
    rows: items.map((change, index) => rowOf(ctx, change, index)),
    filters: shown,
    next: hasNextPage ? `${path}?${next}` : null,
    newest: after === '' ? null : `${path}?${query}`,
    file: `${path}export/?${query}`,
    timeZone: ctx.site.timeZone.replaceAll('_', ' '),
  }
}

function rowOf(ctx: Ctx, change: LoggedChange, index: number): AuditRow {
  const { at, actorName, entity, entityUid, target } = change
  return {
    id: String(index),
    at: formatMoment(at, ctx.site.timeZone),
    who: actorName,
    kind: auditKinds[entity] ?? wordsOf(entity),
    target,
    targetUid: entityUid,
    to: target === null ? null : addressOf(change),
    change: changeInWords(change),
    undo: undoOf(change),
    details: detailsOf(change),
  }
}

function wordsOf(name: string): string {
  return name.replaceAll('_', ' ')
}

/** "Updated", "Reset link sent": the part of an action behind its dot. */
function changeInWords({ action }: LoggedChange): string {
  const words = wordsOf(action.slice(action.indexOf('.') + 1))
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const sectionOf: Record<string, string> = {
  user: 'users',
  tag: 'tags',
  university: 'institutions',
  access_plan: 'plans',
  audience: 'audiences',
  scheduled_report: 'reports/scheduled',
}

function addressOf({ entity, entityUid }: LoggedChange): string | null {
  const section = historyNames[entity as HistoryKind]?.section ?? sectionOf[entity]
  return section ? `/dashboard/${section}/${entityUid}/` : null
}

/** Where a change can be taken back: in the history of the thing, in the trash, or beside what was deleted. */
function undoOf(change: LoggedChange): AuditRow['undo'] {
  const { action, entity, entityUid, after } = change
  const verb = action.slice(action.indexOf('.') + 1)
  const history = historyNames[entity as HistoryKind]
  if (change.isTakenBack) return null
  if (history && verb === 'deleted') return { label: 'Restore from the trash', to: '/dashboard/trash/' }
  if (history && verb === 'updated' && typeof after?.revision === 'number' && after.revision > 1) {
    const earlier = after.revision - 1
    return {
      label: 'Restore what was before',
      to: `/dashboard/${history.section}/${entityUid}/history/${earlier}/`,
    }
  }
  if (entity === 'tag' && (verb === 'deleted' || verb === 'merged')) {
    return { label: 'Bring back', to: '/dashboard/tags/' }
  }
  if (entity === 'user' && verb === 'deleted') return { label: 'Bring back', to: deletedUsersPath }
  if (entity === 'audience' && verb === 'deleted') return { label: 'Bring back', to: '/dashboard/audiences/' }
  if (entity === 'scheduled_report' && verb === 'deleted') {
    return { label: 'Bring back', to: '/dashboard/reports/scheduled/' }
  }
  return entity === 'university' && verb === 'deleted' ? { label: 'Bring back', to: '/dashboard/institutions/' } : null
}

const longestValue = 300

function detailsOf({ before, after }: LoggedChange): AuditRow['details'] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...fields]
    .filter((field) => field !== 'revision')
    .map((field) => ({
      field: wordsOf(field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)),
      before: before && field in before ? valueInWords(before[field]) : null,
      after: after && field in after ? valueInWords(after[field]) : null,
    }))
}

function valueInWords(value: unknown): string {
  if (value === null || value === '') return '(empty)'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const isPlainList = Array.isArray(value) && value.every((one) => typeof one === 'string')
  const text = typeof value === 'string' ? value : isPlainList ? value.join(', ') : JSON.stringify(value)
  return text.length > longestValue ? `${cutText(text, longestValue)}…` : text || '(empty)'
}

/** Everything that the filters find, newest first, for a CSV file. */
export async function* auditParts(ctx: Ctx, filters: AuditFilters): AsyncGenerator<CsvRow[]> {
  yield [['Time', 'Person', 'Kind', 'Name', 'ID', 'Change', 'Before', 'After']]
  let after: string | null = filters.after
  while (after !== null) {
    const page = await listAuditLog(ctx, { ...filters, after, first: 1000 })
    yield page.items.map((change) => [
      change.at.toISOString(),
      change.actorName,
      auditKinds[change.entity] ?? wordsOf(change.entity),
      change.target ?? '',
      change.entityUid,
      changeInWords(change),
      change.before === null ? '' : JSON.stringify(change.before),
      change.after === null ? '' : JSON.stringify(change.after),
    ])
    after = page.hasNextPage ? page.endCursor : null
  }
}
