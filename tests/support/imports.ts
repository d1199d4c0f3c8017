/** Imports packages as the import command does: an upload, then an import by the module's name. */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Ctx } from '~/services/context.ts'
import { finishPackage } from '~/services/modules/finish-package.server.ts'
import { type ImportedModule, importModule } from '~/services/modules/import-module.server.ts'
import { getModule, type Module } from '~/services/modules/modules.server.ts'
import type { PackageState } from '~/services/packages/packages.server.ts'
import { receiveUpload } from '~/services/uploads/uploads.server.ts'
import { packageZip } from './packages.ts'

export type ImportOptions = {
  /** The zip, or its stream. */
  bytes?: Buffer
  file?: Readable
  fileName?: string
  name?: string
  description?: string
  planName?: string
  chapterName?: string
  publish?: boolean
}

/** For staff and the operator. Does not run the package's job. */
export async function importPackage(
  ctx: Ctx,
  options: ImportOptions = {},
): Promise<{ module: Module; imported: ImportedModule }> {
  const { bytes = packageZip(), file, fileName = 'module.zip', name = `Module ${randomUUID()}`, ...rest } = options
  const zip = await receiveUpload(ctx, { kind: 'cmi5_zip', fileName, source: file ?? Readable.from([bytes]) })
  const imported = await importModule(ctx, { cmi5Zip: zip.name, name, planName: 'Full Access', ...rest })
  return { module: await getModule(ctx, { moduleUid: imported.moduleUid }), imported }
}

/** The same, and also runs the package's job. */
export async function importAndRead(
  ctx: Ctx,
  options: ImportOptions = {},
): Promise<{ imported: ImportedModule; package: PackageState }> {
  const { imported } = await importPackage(ctx, options)
  return { imported, package: await finishPackage(ctx, imported) }
}
