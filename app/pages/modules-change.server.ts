/** A change of many modules, as its dialog shows it. */
import type { ModulesChangeView } from '~/components/console/modules/change-modules.tsx'
import { getBulkStarter } from '~/services/bulk/bulk.server.ts'
import type { Ctx } from '~/services/context.ts'
import {
  getModulesOperation,
  listChangedModules,
  listModulesToChange,
  listUnaffectedModules,
} from '~/services/modules/change-many.server.ts'
import { listModuleFigures } from '~/services/modules/statistics.server.ts'
import { getBulkView } from './bulk-operation.server.ts'

export async function getModulesChangeView(ctx: Ctx, input: { operationUid: string }): Promise<ModulesChangeView> {
  const { change, status } = await getModulesOperation(ctx, input)
  const hasEnded = status !== 'prepared' && status !== 'running'
  const starter = status === 'prepared' ? await getBulkStarter(ctx, input) : null
  return {
    change,
    otherStarter: starter === null || starter.isViewer ? null : (starter.name ?? 'Somebody else'),
    operation: await getBulkView(ctx, input),
    asked: status === 'prepared' ? await listAsked(ctx, input) : [],
    changed: hasEnded ? (await listChangedModules(ctx, input)).map(({ uid, label }) => ({ uid, name: label })) : [],
  }
}

async function listAsked(ctx: Ctx, input: { operationUid: string }): Promise<ModulesChangeView['asked']> {
  const items = await listModulesToChange(ctx, input)
  const figures = await listModuleFigures(
    ctx,
    items.map(({ uid }) => uid),
  )
  const unaffected = await listUnaffectedModules(ctx, input)
  return items
    .map(({ uid, label }) => ({
      uid,
      name: label,
      starts: figures.get(uid)?.numStarts ?? 0,
      isUnaffected: unaffected.has(uid),
    }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en'))
}
