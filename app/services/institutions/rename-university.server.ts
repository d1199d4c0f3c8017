import type { z } from 'zod'
import { renameInstitutionForm } from '~/forms/institutions.ts'
import { caseKey, searchKey, storedKeys } from '~/lib/text.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, NameTaken, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { lockUniversities, type University } from './institutions.server.ts'

function nameIsTaken(name: string, otherUid: string | null): NameTaken {
  const problem = `There is already an institution “${name}”. You can merge the two.`
  return new NameTaken('university.taken', problem, { field: 'name', otherUid })
}

/** Changes the name of an institution, for admins. The name of another one is refused: those two can be merged. */
export async function renameUniversity(
  ctx: Ctx,
  input: z.input<typeof renameInstitutionForm> & { universityUid: string },
): Promise<University> {
  requireAdmin(ctx, 'write')
  const { name, openedName } = parseInput(renameInstitutionForm, input)
  return inTransaction(ctx, async (ctx) => {
    const wanted = input.universityUid.toLowerCase()
    const locked = await lockUniversities(ctx, { uids: [wanted], keys: storedKeys(name) })
    const university = locked.find((one) => one.uid === wanted)
    if (!university) throw new NotFound()
    const { id, uid, name: before } = university
    if (before === name) return { uid, name }
    if (openedName && openedName !== before) {
      const problem = `Somebody else has changed this name to “${before}”. Save again to use yours.`
      throw new Conflict('university.changed', problem, { name: problem })
    }
    const taken = locked.find((other) => other.uid !== uid)
    if (taken) throw nameIsTaken(taken.name, taken.uid)
    await ctx.db
      .updateTable('universities')
      .set({ name, name_key: caseKey(name), search_key: searchKey(name) })
      .where('id', '=', id)
      .execute()
      .catch((error: { code?: string }) => {
        // Somebody has made an institution of this name at the same moment.
        throw error.code === '23505' ? nameIsTaken(name, null) : error
      })
    await recordAudit(ctx, {
      action: 'university.renamed',
      entity: 'university',
      entityUid: uid,
      before: { name: before },
      after: { name },
    })
    return { uid, name }
  })
}
