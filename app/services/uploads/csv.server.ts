import { type CsvOptions, readCsv } from '~/lib/csv-import.server.ts'
import type { CsvReading } from '~/lib/csv-import.ts'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { storage } from '../storage/storage.server.ts'
import { getUploadedFile } from './uploads.server.ts'

/** Reads an uploaded CSV file of whoever acts. What cannot be read at all is refused beside `field`; faulty rows are in the reading. */
export async function readUploadedCsv(
  ctx: Ctx,
  input: { name: string; field: string },
  options: CsvOptions,
): Promise<CsvReading> {
  const file = await getUploadedFile(ctx, { name: input.name, kind: 'csv', field: input.field })
  const { reading, problem } = await readCsv(await storage().read(file.uid), options)
  if (reading) return reading
  throw new Invalid(problem, { [input.field]: problem }, 'csv.unreadable')
}
