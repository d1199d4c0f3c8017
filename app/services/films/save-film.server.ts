/**
 * Changes lectures and videos: for programs, which send only the fields that they change, and for the dialogs, which
 * send all fields. Every change is live at once.
 */
import { isDeepStrictEqual } from 'node:util'
import type { FilmMedia } from '~/forms/film-media.ts'
import type { FilmStatus } from '~/forms/films.ts'
import { searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { setPlans, setTags } from '../access/parts-writes.server.ts'
import { listAccessPlans } from '../access/plans.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { Conflict, Invalid, NotFound } from '../errors.ts'
import { changedFields, type Field, mergeSave, pickFields, type Revised } from '../revisions.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { fileIdOf } from '../storage/files.server.ts'
import type { Derivative } from '../storage/images.server.ts'
import { keepReplacedFiles } from '../storage/sweep.server.ts'
import { ensureTags } from '../tags/tags.server.ts'
import { prepareCover, recordCover } from '../uploads/covers.server.ts'
import type { FilmKind, FilmState, FilmUpdate, LockedFilm, RevisedFilm } from './film-kind.ts'
import { changedMediaColumns, type PreparedMedia, prepareFilmMedia, recordFilmMedia } from './film-media.server.ts'
import { lockFilm } from './film-state.server.ts'
import {
  describeMedia,
  isMediaField,
  type MediaFields,
  mediaOf,
  orderedMedia,
  readMediaFields,
  requireCaptionsOnce,
  settleMedia,
} from './media-fields.server.ts'

/** What a schema has read: an uploaded transcript is not read yet. */
type Parsed<State extends FilmState> = Partial<Omit<State, keyof MediaFields>> & Partial<FilmMedia>

/** Changes only the given fields. Undefined ones stay as they are. */
export async function changeFilm<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  input: { uid: string; changes: Parsed<State> },
): Promise<void> {
  requireStaff(ctx, 'write')
  const changes = await readMediaFields(ctx, input.changes)
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  await applyChanges(ctx, film, { uid: input.uid }, async () => given as Partial<State>)
}

/**
 * Saves a dialog's form, which holds all its fields and the revision they were read at. Returns the fields that somebody
 * else changed meanwhile and this form did not. Throws ChangedMeanwhile if somebody else has changed a field that this
 * form changes too.
 */
export async function saveFilmForm<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  input: { uid: string; revision: number; mine: Parsed<State> },
): Promise<{ keptOfOthers: Field<State>[] }> {
  requireStaff(ctx, 'write')
  let keptOfOthers: Field<State>[] = []
  const mine = (await readMediaFields(ctx, input.mine)) as object as Partial<State>
  await applyChanges(ctx, film, { uid: input.uid }, async (ctx, now) => {
    const merged = await mergeSave<State>(ctx, {
      entity: film.kind,
      entityUid: now.uid,
      subject: `this ${film.kind}`,
      now,
      revision: input.revision,
      mine: settleMedia(ctx, { kind: film.kind, uid: now.uid }, now.state, mine),
      ordered: ordered<State>(),
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
): Promise<RevisedFilm<State>> {
  requireStaff(ctx)
  if (!isUid(uid)) throw new NotFound()
  return film.read(ctx, uid)
}

/** Returns whether these fields match what is stored. */
export async function matchesFilm<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  input: { uid: string; values: Parsed<State> },
): Promise<boolean> {
  const { state } = await readFilmToEdit(ctx, film, input.uid)
  const values = (await readMediaFields(ctx, input.values)) as object as Partial<State>
  const settled = settleMedia(ctx, { kind: film.kind, uid: input.uid.toLowerCase() }, state, values)
  return changedFields(state, settled, ordered<State>()).length === 0
}

/** Chooses the values to write. It runs twice: before the lock, to prepare files, and again under the lock. */
export type Choose<State> = (ctx: Ctx, now: Revised<State> & { uid: string }) => Promise<Partial<State>>

type Prepared = { cover: Derivative | null; media: { of: FilmMedia; prepared: PreparedMedia } | null }
type Changed<State extends FilmState> = { locked: LockedFilm; changes: Partial<State>; before: State }

const mostAttempts = 5

/** Writes what is chosen. `isFromHistory`: these are values of an earlier revision. Returns the film's name. */
export async function applyChanges<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  to: { uid: string; isFromHistory?: boolean },
  choose: Choose<State>,
): Promise<{ name: string }> {
  requireStaff(ctx, 'write')
  // Pictures and films take time to read, so this happens before the transaction that holds the lock.
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const planned = await inTransaction(ctx, (ctx) => chooseChanges(ctx, film, to.uid, choose))
    const prepared = await prepareFiles(ctx, film, planned, to)
    const done = await inTransaction(ctx, async (ctx) => {
      const changed = await chooseChanges(ctx, film, to.uid, choose)
      if (!isPrepared(prepared, changed)) return null
      await writeChanges(ctx, film, changed, { prepared, isFromHistory: to.isFromHistory })
      return { name: changed.changes.name ?? changed.before.name }
    })
    if (done) return done
  }
  throw new Conflict(`${film.kind}.busy`, `Somebody else is saving this ${film.kind} right now. Please save again.`)
}

async function chooseChanges<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  uid: string,
  choose: Choose<State>,
): Promise<Changed<State>> {
  const locked = await lockFilm(ctx, film.kind, uid)
  const { state, revision } = await film.read(ctx, locked.uid)
  const chosen = await choose(ctx, { state, revision, uid: locked.uid })
  const settled = settleMedia(ctx, { kind: film.kind, uid: locked.uid }, state, chosen)
  const changes = pickFields(settled, changedFields(state, settled, ordered<State>()))
  requireCaptionsOnce({ ...state, ...changes })
  return { locked, changes, before: state }
}

async function prepareFiles<State extends FilmState>(
  ctx: Ctx,
  { kind }: FilmKind<State>,
  changed: Changed<State>,
  { isFromHistory }: { isFromHistory?: boolean },
): Promise<Prepared> {
  const { coverImg } = changed.changes
  const media = mediaToWrite(changed)
  const ref = { kind, uid: changed.locked.uid }
  return {
    cover: typeof coverImg === 'string' ? await prepareCover(ctx, { name: coverImg, isFromHistory }) : null,
    media: media && { of: media, prepared: await prepareFilmMedia(ctx, { ...ref, media, isFromHistory }) },
  }
}

/** All media as they will be, or null if none of them changes. */
function mediaToWrite<State extends FilmState>({ changes, before }: Changed<State>): FilmMedia | null {
  return Object.keys(changes).some(isMediaField) ? mediaOf(pickMedia({ ...before, ...changes })) : null
}

function pickMedia<State extends FilmState>(state: State): MediaFields {
  return Object.fromEntries(Object.entries(state).filter(([field]) => isMediaField(field))) as MediaFields
}

/** Somebody may have saved other media since these were read. */
function isPrepared<State extends FilmState>({ media }: Prepared, changed: Changed<State>): boolean {
  const needed = mediaToWrite(changed)
  return needed === null || isDeepStrictEqual(needed, media?.of)
}

function ordered<State extends FilmState>(): Field<State>[] {
  return [...orderedMedia]
}

async function writeChanges<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  { locked, changes, before }: Changed<State>,
  { prepared, isFromHistory }: { prepared: Prepared; isFromHistory?: boolean },
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
    typeof coverImg === 'string'
      ? await recordCover(ctx, { name: coverImg, prepared: prepared.cover, isFromHistory })
      : undefined
  const media = fields.some(isMediaField) ? (prepared.media?.prepared ?? null) : null
  const revision = locked.revision + 1
  const columns = {
    ...columnsOf(changes, before),
    ...(media && changedMediaColumns(ctx, media)),
    ...(coverUid !== undefined && { cover_file_id: fileIdOf(ctx, coverUid) }),
    revision,
    updated_at: ctx.now,
  }
  await film.write(ctx, locked, columns as FilmUpdate, changes)
  if (media) await recordFilmMedia(ctx, { kind, uid: locked.uid, prepared: media })
  await keepReplacedFiles(ctx, replacedFiles(before, changes))
  await recordAudit(ctx, {
    action: `${kind}.${isFromHistory ? 'revision_restored' : actionOf(fields, changes.status)}`,
    entity: kind,
    entityUid: locked.uid,
    before: pickFields(before, fields),
    after: { ...changes, revision },
  })
  await queueIndexing(ctx, { kind, uids: [locked.uid] })
}

function replacedFiles(before: FilmState, changes: Partial<FilmState>): (string | null)[] {
  return [
    ...(changes.coverImg === undefined ? [] : [before.coverImg]),
    ...(changes.videoFile === undefined ? [] : [before.videoFile]),
    ...(changes.captions === undefined ? [] : before.captions.map(({ file }) => file)),
  ]
}

function actionOf(fields: string[], status: FilmStatus | undefined): string {
  if (status === undefined || fields.length > 1) return 'updated'
  return status === 'published' ? 'published' : 'unpublished'
}

function columnsOf(changes: Partial<FilmState>, before: FilmState) {
  const { name, status, presenter, description, coverImgDesc, phases, showsTerms } = changes
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
  if (isMediaField(field)) return describeMedia(field, state)
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
