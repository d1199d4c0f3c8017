/** The glossary in the console: its list, and the import of a file. */
import { createHash } from 'node:crypto'
import type { GlossaryPageView, ImportPlanView } from '~/components/console/glossary/view.ts'
import { importedTermForm, termColumns } from '~/forms/glossary.ts'
import type { CsvImport } from '~/http/csv.server.ts'
import type { CsvRow } from '~/lib/csv.ts'
import { checkCsv } from '~/lib/csv-import.server.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import type { Ctx } from '~/services/context.ts'
import { getGlossaryPage, listGlossaryTerms } from '~/services/glossary/glossary.server.ts'
import { planTermImport, type TermImportPlan } from '~/services/glossary/import-terms.server.ts'
import { readUploadedCsv } from '~/services/uploads/csv.server.ts'

/** The page of the list that the query names. */
export async function getGlossaryForConsole(ctx: Ctx, query: TableQuery): Promise<GlossaryPageView> {
  const [letter = null] = query.filters.letter ?? []
  const found = await getGlossaryPage(ctx, { search: query.search, letter, page: query.page })
  const { headline, description, letters, terms, total, page, size } = found
  return {
    ...{ headline, description, letters, total, page, size },
    terms: terms.map(({ uid, name, definition, letter, slug }) => ({
      ...{ uid, name, definition, letter },
      address: `${ctx.site.baseUrl}/glossary/${slug}/`,
    })),
  }
}

export const termsImport = { field: 'terms', columns: termColumns }

/**
 * Reads and checks an uploaded file of terms, and says what its import would change. `checked` is null if its columns
 * must be chosen first.
 */
export async function checkTermsFile(ctx: Ctx, { name, mapping }: CsvImport) {
  const { field, columns } = termsImport
  const result = await readUploadedCsv(ctx, { name, field }, { columns, mapping })
  if (!result.reading) return { ...result, checked: null }
  const checked = checkCsv(result.reading, importedTermForm)
  const plan = await planTermImport(ctx, { rows: checked.valid })
  const faulty = new Set(plan.faults.map(({ line }) => line))
  return {
    reading: result.reading,
    checked: {
      rows: checked.rows,
      valid: checked.valid.filter(({ line }) => !faulty.has(line)),
      faults: [...checked.faults, ...plan.faults].sort((one, other) => one.line - other.line),
    },
    plan,
  }
}

const mostExamples = 20

/** `seen` stands for the file, the choice of its columns, and everything that would change. */
export function importPlanView(plan: TermImportPlan, { name, mapping }: CsvImport): ImportPlanView {
  const { created, changed, unchanged } = plan
  const changes = changed.map(({ term, to }) => [term.uid, term.revision, to])
  const everything = JSON.stringify([name, mapping, created, changes])
  return {
    seen: createHash('sha256').update(everything).digest('hex'),
    created: created.length,
    changed: changed.length,
    unchanged,
    examples: changed.slice(0, mostExamples).map(({ line, term, to }) => ({
      line,
      before: { name: term.name, definition: term.definition },
      after: to,
    })),
  }
}

/** All terms by name, as a file that can be imported. */
export async function* termParts(ctx: Ctx): AsyncGenerator<CsvRow[]> {
  yield [['Term', 'Definition', 'Slug']]
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<typeof listGlossaryTerms>> = await listGlossaryTerms(ctx, { first: 100, after })
    yield page.items.map(({ name, definition, slug }) => [name, definition, slug])
    after = page.hasNextPage ? page.endCursor : null
  } while (after !== null)
}
