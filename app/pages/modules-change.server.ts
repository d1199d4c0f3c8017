/** A change of many modules, as its dialog shows it. */
import type { ModulesChangeView } from '~/components/console/modules/change-modules.tsx'
import { type BulkItem, getBulkStarter } from '~/services/bulk/bulk.server.ts'
import type { Ctx } from '~/services/context.ts'
import {
  checkModulesChange,
  getModulesOperation,
  listChangedModules,
  listModulesToChange,
  listUnchangedModules,
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
    ...(status === 'prepared' ? await getQuestion(ctx, input) : { asked: [], refusal: null }),
    changed: hasEnded ? (await listChangedModules(ctx, input)).map(toNamed) : [],
    unchanged: hasEnded ? (await listUnchangedModules(ctx, input)).map(toNamed) : [],
  }
}

function toNamed({ uid, label }: BulkItem): { uid: string; name: string } {
  return { uid, name: label }
}

type Question = Pick<ModulesChangeView, 'asked' | 'refusal'>

/**
 * The modules are in the order in which they were selected, which for a whole page is that of the table. Those with an
 * obstacle come first, so that nobody has to look for them in a long list.
 */
async function getQuestion(ctx: Ctx, input: { operationUid: string }): Promise<Question> {
  const items = await listModulesToChange(ctx, input)
  const figures = await listModuleFigures(
    ctx,
    items.map(({ uid }) => uid),
  )
  const { obstacles, refusal } = await checkModulesChange(ctx, input)
  const rankOf = ({ obstacle }: Question['asked'][number]) => (obstacle ? (obstacle.isAlready ? 1 : 0) : 2)
  const asked = items
    .map(({ uid, label }) => ({
      uid,
      name: label,
      starts: figures.get(uid)?.numStarts ?? 0,
      obstacle: obstacles.get(uid) ?? null,
    }))
    .sort((one, other) => rankOf(one) - rankOf(other))
  return { asked, refusal }
}
