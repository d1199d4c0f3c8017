/** Deletes and restores lectures and videos, for staff. */
import type { FilmKindName } from '~/forms/films.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import { queueIndexing } from '../search/documents.server.ts'
import type { FilmKind, FilmState, FilmUpdate } from './film-kind.ts'
import { lockDeletedFilm, lockFilm } from './film-state.server.ts'

/**
 * Deletes a film softly: nobody sees it any more. For thirty days `restoreFilm` can bring it back with everybody's
 * progress. Throws NotFound if it is already deleted.
 */
export async function deleteFilm<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  uid: string,
): Promise<{ uid: string; name: string }> {
  requireStaff(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const locked = await lockFilm(ctx, film.kind, uid)
    const columns: FilmUpdate = { deleted_at: ctx.now, deleted_by: ctx.viewer?.id ?? null, updated_at: ctx.now }
    await film.write(ctx, locked, columns, {})
    await record(ctx, film.kind, locked.uid, { action: 'deleted', before: { name: locked.name } })
    return { uid: locked.uid, name: locked.name }
  })
}

/** Undoes a deletion of the last thirty days. A film that is not deleted stays as it is. */
export async function restoreFilm<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  uid: string,
): Promise<void> {
  requireStaff(ctx, 'write')
  await inTransaction(ctx, async (ctx) => {
    const locked = await lockDeletedFilm(ctx, film.kind, uid, daysAgo(ctx, restorableDays))
    if (!locked) return
    await film.write(ctx, locked, { deleted_at: null, deleted_by: null, updated_at: ctx.now }, {})
    await record(ctx, film.kind, locked.uid, { action: 'restored' })
  })
}

async function record(
  ctx: Ctx,
  kind: FilmKindName,
  uid: string,
  { action, before }: { action: string; before?: Record<string, unknown> },
): Promise<void> {
  await recordAudit(ctx, { action: `${kind}.${action}`, entity: kind, entityUid: uid, before })
  await queueIndexing(ctx, { kind, uids: [uid] })
}
