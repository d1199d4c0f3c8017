/**
 * Changes lectures and videos: for programs, which send only the fields that they change, and for the dialogs, which
 * send all fields. Every change is live at once.
 */
import type { FilmStatus } from '~/forms/films.ts'
import { searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { setPlans, setTags } from '../access/parts-writes.server.ts'
import { listAccessPlans } from '../access/plans.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { changedFields, type Field, mergeSave, pickFields, type Revised } from '../revisions.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { fileIdOf } from '../storage/files.server.ts'
import type { Derivative } from '../storage/images.server.ts'
import { ensureTags } from '../tags/tags.server.ts'
import { prepareCover, recordCover } from '../uploads/covers.server.ts'
import type { FilmKind, FilmState, FilmUpdate, LockedFilm } from './film-kind.ts'
import { lockFilm } from './film-state.server.ts'

/** Changes only the given fields. Undefined ones stay as they are. */
export async function changeFilm<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  input: { uid: string; changes: Partial<State> },
): Promise<void> {
  requireStaff(ctx, 'write')
  const given = Object.fromEntries(Object.entries(input.changes).filter(([, value]) => value !== undefined))
  await change(ctx, film, input.uid, async () => given as Partial<State>)
}

/**
 * Saves a dialog's form, which holds all its fields and the revision they were read at. Returns the fields that somebody
 * else changed meanwhile and this form did not. Throws ChangedMeanwhile if somebody else has changed a field that this
 * form changes too.
 */
export async function saveFilmForm<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  input: { uid: string; revision: number; mine: Partial<State> },
): Promise<{ keptOfOthers: Field<State>[] }> {
  requireStaff(ctx, 'write')
  let keptOfOthers: Field<State>[] = []
  await change(ctx, film, input.uid, async (ctx, now) => {
    const merged = await mergeSave<State>(ctx, {
      entity: film.kind,
      entityUid: now.uid,
      subject: `this ${film.kind}`,
      now,
      revision: input.revision,
      mine: input.mine,
      describe: (field, state) => describeField(ctx, film, field, state),
    })
    keptOfOthers = merged.keptOfOthers
    return merged.changes
  })
  return { keptOfOthers }
}

/** Reads the stored values for the dialog and the revision that it sends back with them. */
export async function readFilmToEdit<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  uid: string,
): Promise<Revised<State>> {
  requireStaff(ctx)
  if (!isUid(uid)) throw new NotFound()
  return film.read(ctx, uid)
}

/** Returns whether these fields match what is stored. */
export async function matchesFilm<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  input: { uid: string; values: Partial<State> },
): Promise<boolean> {
  const { state } = await readFilmToEdit(ctx, film, input.uid)
  return changedFields<State>(state, input.values).length === 0
}

/** Chooses the values to write. It runs twice: before the lock, to prepare the cover, and again under the lock. */
type Choose<State> = (ctx: Ctx, now: Revised<State> & { uid: string }) => Promise<Partial<State>>

async function change<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  uid: string,
  choose: Choose<State>,
): Promise<void> {
  // Pictures take time to make, so the cover is made before the transaction that holds the lock.
  const planned = await inTransaction(ctx, (ctx) => chooseChanges(ctx, film, uid, choose))
  const { coverImg } = planned.changes
  const cover = typeof coverImg === 'string' ? await prepareCover(ctx, { name: coverImg }) : null
  await inTransaction(ctx, async (ctx) => {
    const { locked, changes, before } = await chooseChanges(ctx, film, uid, choose)
    await writeChanges(ctx, film, locked, { changes, before, cover })
  })
}

async function chooseChanges<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  uid: string,
  choose: Choose<State>,
) {
  const locked = await lockFilm(ctx, film.kind, uid)
  const now = await film.read(ctx, locked.uid)
  const chosen = await choose(ctx, { ...now, uid: locked.uid })
  return { locked, changes: pickFields(chosen, changedFields(now.state, chosen)), before: now.state }
}

async function writeChanges<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  locked: LockedFilm,
  { changes, before, cover }: { changes: Partial<State>; before: State; cover: Derivative | null },
): Promise<void> {
  const fields = Object.keys(changes) as Field<State>[]
  if (fields.length === 0) return
  const { kind } = film
  const owner = { kind: `${kind}s`, uid: locked.uid } as const
  const { tags, accessPlanUids, coverImg } = changes
  if (tags) await setTags(ctx, owner, await ensureTags(ctx, { texts: tags }))
  if (accessPlanUids && !(await setPlans(ctx, owner, accessPlanUids))) {
    const message = 'One of the groups no longer exists.'
    throw new Invalid(message, { accessPlanUids: message })
  }
  const coverUid =
    typeof coverImg === 'string' ? await recordCover(ctx, { name: coverImg, prepared: cover }) : undefined
  const revision = locked.revision + 1
  const columns = {
    ...columnsOf(changes, before),
    ...(coverUid !== undefined && { cover_file_id: fileIdOf(ctx, coverUid) }),
    revision,
    updated_at: ctx.now,
  }
  await film.write(ctx, locked, columns as FilmUpdate, changes)
  await recordAudit(ctx, {
    action: `${kind}.${actionOf(fields, changes.status)}`,
    entity: kind,
    entityUid: locked.uid,
    before: pickFields(before, fields),
    after: { ...changes, revision },
  })
  await queueIndexing(ctx, { kind, uids: [locked.uid] })
}

function actionOf(fields: string[], status: FilmStatus | undefined): string {
  if (status === undefined || fields.length > 1) return 'updated'
  return status === 'published' ? 'published' : 'unpublished'
}

function columnsOf(changes: Partial<FilmState>, before: FilmState) {
  const { name, status, presenter, description, coverImgDesc, videoUrl, phases, showsTerms } = changes
  return {
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    ...(presenter !== undefined && { presenter }),
    ...((name !== undefined || presenter !== undefined) && {
      search_key: searchKey(`${name ?? before.name} ${presenter ?? before.presenter}`),
    }),
    ...(description !== undefined && { description }),
    ...(coverImgDesc !== undefined && { cover_img_desc: coverImgDesc }),
    ...(phases !== undefined && { phases }),
    ...(showsTerms !== undefined && { shows_terms: showsTerms }),
    // The length was that of another film.
    ...(videoUrl !== undefined && { video_url: videoUrl, duration: null }),
  }
}

/** Tells a person whose form has another value what the field is now. */
async function describeField<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  field: Field<State>,
  state: State,
): Promise<string> {
  if (field === 'coverImg') return 'There is a different cover image now.'
  const value = isShared(field)
    ? await sharedText(ctx, field, state)
    : film.textOf(field as Exclude<Field<State>, keyof FilmState>, state)
  if (typeof value === 'boolean') return value ? 'It is now checked.' : 'It is now unchecked.'
  return value ? `It is now “${value}”.` : 'It is empty now.'
}

const sharedFields = [
  'name',
  'status',
  'presenter',
  'description',
  'coverImgDesc',
  'accessPlanUids',
  'videoUrl',
  'phases',
  'tags',
  'showsTerms',
] as const
type SharedField = (typeof sharedFields)[number]

function isShared(field: string): field is SharedField {
  return (sharedFields as readonly string[]).includes(field)
}

async function sharedText(ctx: Ctx, field: SharedField, state: FilmState): Promise<string | boolean> {
  if (field === 'accessPlanUids') {
    const plans = await listAccessPlans(ctx)
    return plans.flatMap(({ uid, name }) => (state.accessPlanUids.includes(uid) ? [name] : [])).join(', ')
  }
  const value = state[field]
  return Array.isArray(value) ? value.join(', ') : value
}
