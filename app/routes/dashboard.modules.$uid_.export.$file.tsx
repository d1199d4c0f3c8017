import type { LoaderFunctionArgs } from '@remix-run/node'
import { learnerCsvRow, learnersCsvHead, statisticsCsv } from '~/components/console/modules/report-csv.ts'
import { moduleLearnersTable } from '~/forms/module-tables.ts'
import { requireConsole } from '~/http/context.server.ts'
import { csvResponse } from '~/http/csv.server.ts'
import { notFoundPage, throwAsPage } from '~/http/respond.server.ts'
import { type CsvRow, csvFileName } from '~/lib/csv.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { getModuleStatistics, listLearnerBatch } from '~/pages/module-report.server.ts'
import type { Ctx } from '~/services/context.ts'
import { getModule } from '~/services/modules/modules.server.ts'

/**
 * The report's files for browsers that cannot make them: `statistics`, and `learners` with the search and filters of
 * the address.
 */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { uid, name } = await getModule(ctx, { moduleUid: args.params.uid ?? '' }).catch(throwAsPage)
  const { searchParams } = new URL(args.request.url)
  const { search, filters } = readTableQuery(searchParams, moduleLearnersTable)
  switch (args.params.file) {
    case 'statistics':
      return csvResponse(args, {
        fileName: csvFileName('ModuleStatistics', name),
        parts: statisticsParts(ctx, { uid, name }),
      })
    case 'learners':
      return csvResponse(args, {
        fileName: csvFileName('ModuleLearners', name),
        parts: learnerParts(ctx, { moduleUid: uid, search, filters }),
      })
    default:
      throw notFoundPage()
  }
}

async function* statisticsParts(ctx: Ctx, { uid, name }: { uid: string; name: string }): AsyncGenerator<CsvRow[]> {
  yield statisticsCsv(name, await getModuleStatistics(ctx, { moduleUid: uid }))
}

type Learners = Omit<Parameters<typeof listLearnerBatch>[1], 'after'>

/** Reads the learners in batches while the file is sent, so that a long list takes no more memory than a short one. */
async function* learnerParts(ctx: Ctx, learners: Learners): AsyncGenerator<CsvRow[]> {
  let head = [learnersCsvHead(ctx.site.timeZone)]
  let after: string | null = null
  do {
    const batch: Awaited<ReturnType<typeof listLearnerBatch>> = await listLearnerBatch(ctx, { ...learners, after })
    yield [...head, ...batch.rows.map(learnerCsvRow)]
    head = []
    after = batch.next
  } while (after !== null)
}
