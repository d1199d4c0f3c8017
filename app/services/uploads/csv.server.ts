import { type CsvOptions, readCsv } from '~/lib/csv-import.server.ts'
import type { CsvHeadings, CsvReading } from '~/lib/csv-import.ts'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { storage } from '../storage/storage.server.ts'
import { getUploadedFile } from './uploads.server.ts'

/** The file can be read, but which of its headings are the columns must be chosen first. */
type UnclearColumns = { reading: null; problem: string; found: CsvHeadings }

/**
 * Reads an uploaded CSV file of the viewer. A file that cannot be read at all is refused next to `field`. Faulty rows are
 * in the reading.
 */
export async function readUploadedCsv(
  ctx: Ctx,
  input: { name: string; field: string },
  options: CsvOptions,
): Promise<{ reading: CsvReading } | UnclearColumns> {
  const file = await getUploadedFile(ctx, { name: input.name, kind: 'csv', field: input.field })
  const result = await readCsv(await storage().read(file.uid), options)
  if (result.reading) return { reading: result.reading }
  const { problem, found } = result
  if (found) return { reading: null, problem, found }
  throw new Invalid(problem, { [input.field]: problem }, 'csv.unreadable')
}
