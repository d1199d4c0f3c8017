/** The institutions of a site in the console: their list, and the question before one is deleted. */
import type { InstitutionsView, ReplacementPreview } from '~/components/console/institutions/view.ts'
import { institutionsTable } from '~/forms/institutions.ts'
import { formatDay } from '~/lib/dates.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { countAudiencesOfInstitution } from '~/services/audiences/audiences-of-institution.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listAllUniversities, type University } from '~/services/institutions/institutions.server.ts'
import { countReportsOfInstitution } from '~/services/reports/reports-of-institution.server.ts'
import {
  listRemovedUniversities,
  planReplacement,
  type RemovedUniversity,
} from '~/services/users/replace-university.server.ts'
import { getUniversity, listLookalikes, listUniversityPage } from '~/services/users/university-list.server.ts'

export async function getInstitutionsPage(ctx: Ctx, query: TableQuery): Promise<InstitutionsView> {
  const [{ items, total }, lookalikes, removed] = await Promise.all([
    listUniversityPage(ctx, query),
    listLookalikes(ctx),
    listRemovedUniversities(ctx),
  ])
  return {
    rows: items,
    total,
    page: query.page,
    size: institutionsTable.sizes[0] ?? 50,
    lookalikes: lookalikes.map(([one, other]) => ({ one: optionOf(one), other: optionOf(other) })),
    removed: removed.map((one) => ({ uid: one.uid, name: one.name, how: howInWords(ctx, one) })),
  }
}

/** The institutions to choose from, and the ones that the address names. */
export async function getReplaceDialog(ctx: Ctx, params: URLSearchParams) {
  const institutions = await listAllUniversities(ctx)
  return {
    institutions: institutions.map(optionOf),
    chosen: { institution: params.get('institution') ?? '', replacement: params.get('replacement') ?? '' },
  }
}

/** The institution to merge, the others, and the one of them that the address names. */
export async function getMergeDialog(ctx: Ctx, input: { universityUid: string; params: URLSearchParams }) {
  const [{ uid, name, isDefault }, institutions] = await Promise.all([
    getUniversity(ctx, input),
    listAllUniversities(ctx),
  ])
  return {
    ...{ uid, name, isDefault },
    others: institutions.filter((other) => other.uid !== uid).map(optionOf),
    into: input.params.get('into') ?? '',
  }
}

export async function previewReplacement(
  ctx: Ctx,
  input: { institution: string; replacement: string },
): Promise<ReplacementPreview> {
  const { from, into, people } = await planReplacement(ctx, input)
  const [reports, audiences] = await Promise.all([
    countReportsOfInstitution(ctx, { institutionUid: from.uid }),
    countAudiencesOfInstitution(ctx, { institutionUid: from.uid }),
  ])
  return { institution: from.uid, name: from.name, replacement: into.uid, to: into.name, people, audiences, ...reports }
}

function optionOf({ uid, name }: University) {
  return { value: uid, label: name }
}

function howInWords(ctx: Ctx, { replacement, removedAt, removedBy }: RemovedUniversity): string {
  const who = removedBy === '' ? '' : ` by ${removedBy}`
  const where = replacement === null ? '' : `; its people moved to “${replacement}”`
  return `Deleted on ${formatDay(removedAt, ctx.site.timeZone)}${who}${where}`
}
