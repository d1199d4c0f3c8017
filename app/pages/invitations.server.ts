/** Inviting people in the console, one or many, and what has become of lists. For admins. */
import { createHash, randomUUID } from 'node:crypto'
import type {
  CheckedRow,
  InviteChoices,
  InvitedListLine,
  InvitedListView,
  ListReport,
} from '~/components/console/invitations/view.ts'
import { type CellFixes, fixField, lineOfCell, peopleField, type RowsShown, rowsOnPage } from '~/forms/invited-lists.ts'
import { invitedColumns } from '~/forms/users.ts'
import { type CsvImport, faultsOnPage } from '~/http/csv.server.ts'
import type { CsvRow } from '~/lib/csv.ts'
import type { CsvFault } from '~/lib/csv-import.ts'
import { formatMoment } from '~/lib/dates.ts'
import { shortCsvName } from '~/lib/short-name.ts'
import { listAccessPlans } from '~/services/access/plans.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listAllUniversities } from '~/services/institutions/institutions.server.ts'
import type { InvitePlan, PlannedRow } from '~/services/invitations/check-people.server.ts'
import { getInvitedList, listInvitedLists, readInvitedList } from '~/services/invitations/invited-lists.server.ts'
import { getSiteSettings } from '~/services/settings/settings.server.ts'
import { wholeViewOf } from './bulk-operation.server.ts'

export async function getInviteChoices(ctx: Ctx): Promise<InviteChoices> {
  const [plans, universities, settings] = await Promise.all([
    listAccessPlans(ctx, { offeredOr: '' }),
    listAllUniversities(ctx),
    getSiteSettings(ctx),
  ])
  const preset = universities.find(({ uid }) => uid === settings.state.defaultInstitution)
  return {
    plans: plans.map(({ uid, name }) => ({ value: uid, label: name })),
    universities: universities.map(({ name }) => name),
    defaultUniversity: preset?.name ?? '',
  }
}

/** The file of people, as `importOf` reads it from a form. */
export const peopleImport = { field: peopleField, columns: invitedColumns }

/**
 * `seen` stands for the file, the choice of its columns, the corrections, everything that is wrong, and the new
 * institutions. The corrections are sorted, because the page sends one that has turned out right in another place than
 * before.
 */
export function seenOf(plan: InvitePlan, wanted: CsvImport, fixes: CellFixes): string {
  const corrections = fieldsOf(fixes).map(({ name, value }) => [name, value])
  const { faults, rows, newInstitutions } = plan
  const everything = [wanted.name, wanted.mapping, corrections.sort(), faults, rows.length, newInstitutions]
  return createHash('sha256').update(JSON.stringify(everything)).digest('hex')
}

function fieldsOf(fixes: CellFixes): { name: string; value: string }[] {
  return [...fixes].flatMap(([line, cells]) =>
    Object.entries(cells).map(([key, value]) => ({ name: fixField(line, key), value })),
  )
}

type ListShown = { wanted: CsvImport; fixes: CellFixes; shown: RowsShown; isCheckedAgain?: boolean }

/** What the page shows of a checked list: a page of its rows, and the corrections of all others. */
export function listReportOf(
  plan: InvitePlan,
  { wanted, fixes, shown, isCheckedAgain = false }: ListShown,
): ListReport {
  const { rows, faults, encoding, ignored, headingOf, newInstitutions } = plan
  const byLine = new Map<number, CsvFault[]>()
  for (const fault of faults) byLine.set(fault.line, [...(byLine.get(fault.line) ?? []), fault])
  const show = faults.length > 0 ? shown.show : 'all'
  const listed = show === 'all' ? rows : rows.filter(({ line }) => byLine.has(line))
  const pages = Math.max(1, Math.ceil(listed.length / rowsOnPage))
  const page = Math.min(shown.page, pages)
  const headings = invitedColumns.flatMap(({ key }) =>
    headingOf[key] === undefined ? [] : [{ key, heading: headingOf[key] }],
  )
  const onPage = listed
    .slice((page - 1) * rowsOnPage, page * rowsOnPage)
    .map((row) => checkedRowOf(row, byLine.get(row.line) ?? [], headings))
  const inFields = new Set(
    onPage.flatMap(({ line, cells }) =>
      cells.flatMap(({ key, reason }) => (reason === null ? [] : fixField(line, key))),
    ),
  )
  const allFixes = fieldsOf(fixes)
  const path = '/dashboard/users/invite/faults/'
  const { faultCount, download } = faultsOnPage(faults, { path, field: peopleField, ...wanted })
  return {
    ...{ isCheckedAgain, encoding, ignored, headings, show, page, pages, faultCount, download },
    seen: seenOf(plan, wanted, fixes),
    listUid: randomUUID(),
    total: rows.length,
    valid: rows.filter(({ person }) => person !== null).length,
    newInstitutions: { total: newInstitutions.length, names: newInstitutions.slice(0, mostNamed) },
    faultyRows: byLine.size,
    rows: onPage,
    otherFixes: allFixes.filter(({ name }) => !inFields.has(name)),
    fixCount: allFixes.length,
  }
}

const longestShown = 100
const mostNamed = 5

function checkedRowOf(row: PlannedRow, faults: CsvFault[], headings: ListReport['headings']): CheckedRow {
  const { line, cells } = row
  const hasCells = Object.keys(cells).length > 0
  const reasons = new Map(faults.map(({ column, reason }) => [column, reason]))
  return {
    line,
    problem: reasons.get(null) ?? null,
    cells: hasCells
      ? headings.map(({ key, heading }) => {
          const [value = '', reason = null] = [cells[key], reasons.get(heading)]
          return { key, value: reason === null ? value.slice(0, longestShown) : lineOfCell(value), reason }
        })
      : [],
  }
}

export async function getInvitedListView(ctx: Ctx, input: { operationUid: string }): Promise<InvitedListView> {
  const { operation, withdrawal, ...list } = await getInvitedList(ctx, input)
  return {
    ...list,
    fileName: shortCsvName(list.fileName),
    operation: await wholeViewOf(ctx, operation),
    withdrawal: withdrawal && (await wholeViewOf(ctx, withdrawal)),
  }
}

const statusWords = {
  prepared: 'Not started',
  running: 'Running',
  done: 'Done',
  canceled: 'Canceled',
  failed: 'Stopped by an error',
}

export async function listInvitedListLines(ctx: Ctx): Promise<InvitedListLine[]> {
  const lists = await listInvitedLists(ctx)
  return lists.map(({ createdAt, status, ...list }) => ({
    ...list,
    fileName: shortCsvName(list.fileName),
    status: statusWords[status],
    createdOn: formatMoment(createdAt, ctx.site.timeZone),
  }))
}

const outcomeWords: Record<string, string> = {
  invited: 'Invited',
  failed: 'Not invited',
  'left-out': 'Left out',
  withdrawn: 'Withdrawn',
}

/** Each row of a list as it was in the file, with what happened to it. The first columns are those of the template. */
export async function* invitedListParts(ctx: Ctx, input: { operationUid: string }): AsyncGenerator<CsvRow[]> {
  const keys = invitedColumns.map(({ key }) => key)
  yield [[...keys, 'Line', 'Result', 'Reason']]
  for await (const rows of readInvitedList(ctx, input)) {
    yield rows.map(({ line, cells, outcome, reason }) => [
      ...keys.map((key) => cells[key] ?? ''),
      line,
      outcomeWords[outcome ?? ''] ?? 'Not invited yet',
      reason ?? '',
    ])
  }
}
