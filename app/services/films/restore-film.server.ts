/** Brings earlier revisions of lectures and videos back, for staff. */
import { findKnownParts, withoutGoneParts } from '../access/known-parts.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import {
  parseRestored,
  planRestore,
  type RestoredRevision,
  type RestoreInput,
  type RestorePlan,
  type Revised,
} from '../revisions.ts'
import type { FilmKind, FilmState } from './film-kind.ts'
import { type MediaFields, orderedMedia, readMediaFields } from './media-fields.server.ts'
import { applyChanges, readFilmToEdit } from './save-film.server.ts'

/** Says what `restoreFilmRevision` would change. */
export async function planFilmRestore<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  input: { uid: string; revision: number },
): Promise<RestorePlan<State>> {
  requireStaff(ctx)
  const uid = input.uid.toLowerCase()
  return planRestoreOf(ctx, film, { ...(await readFilmToEdit(ctx, film, uid)), uid }, input)
}

/** Saves a film as it was at an earlier revision, with what still exists. Repeating it changes nothing. */
export async function restoreFilmRevision<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  input: RestoreInput,
): Promise<RestoredRevision> {
  requireStaff(ctx, 'write')
  let plan: RestorePlan<State> | null = null
  const { name } = await applyChanges(ctx, film, { uid: input.uid, isFromHistory: true }, async (ctx, now) => {
    plan = await planRestoreOf(ctx, film, now, input)
    const values = parseRestored(film.changes, plan.changes, film.labels)
    const fields = (await readMediaFields(ctx, values)) as Partial<State>
    return Object.fromEntries(
      Object.entries(fields).filter(([field]) => field in (plan?.changes ?? {})),
    ) as Partial<State>
  })
  const { changes = {}, leftOut = [] } = (plan ?? {}) as Partial<RestorePlan<State>>
  return { name, isChanged: Object.keys(changes).length > 0, leftOut }
}

function planRestoreOf<State extends FilmState>(
  ctx: Ctx,
  film: FilmKind<State>,
  now: Revised<State> & { uid: string },
  { revision, opened }: Omit<RestoreInput, 'uid'>,
): Promise<RestorePlan<State>> {
  return planRestore<State>(ctx, {
    entity: film.kind,
    entityUid: now.uid,
    now,
    revision,
    opened,
    ordered: [...orderedMedia],
    adapt: async (then) => {
      const shared = await withoutGoneParts<State>(ctx, {
        // An old film may have had no cover, which a film needs now.
        earlier: { ...then, coverImg: then.coverImg ?? now.state.coverImg },
        now: now.state,
        files: { coverImg: 'cover image' } as { [Field in keyof State]?: string },
      })
      const media = await withoutGoneMedia(ctx, shared.state, now.state)
      const own = (await film.adapt?.(ctx, media.state, now.state)) ?? { state: media.state, leftOut: [] }
      const { status } = now.state
      const stays = then.status === status ? [] : [`It stays ${status === 'published' ? 'published' : 'a draft'}.`]
      return {
        state: { ...own.state, status },
        leftOut: [...shared.leftOut, ...media.leftOut, ...own.leftOut, ...stays],
      }
    },
  })
}

/** Keeps the current source and captions where the files from that revision are no longer stored. */
async function withoutGoneMedia<State extends FilmState>(
  ctx: Ctx,
  then: State,
  now: State,
): Promise<{ state: State; leftOut: string[] }> {
  const captions = then.captions.map(({ file }) => file)
  const { files } = await findKnownParts(ctx, { files: then.videoFile ? [...captions, then.videoFile] : captions })
  const kept: Partial<MediaFields> = {}
  const leftOut: string[] = []
  if (then.videoFile && then.videoFile !== now.videoFile && !files.has(then.videoFile)) {
    kept.videoUrl = now.videoUrl
    kept.videoFile = now.videoFile
    leftOut.push('The video file from that revision is no longer stored, so the current film was kept.')
  }
  if (captions.some((file) => !files.has(file))) {
    kept.captions = now.captions
    leftOut.push('Captions from that revision are no longer stored, so the current ones were kept.')
  }
  const state = { ...then, ...kept }
  const isTwice = state.captions.some(({ language }) => language === state.transcriptLanguage)
  if (!state.transcriptAsCaptions || !isTwice) return { state, leftOut }
  leftOut.push(
    'There is a file of captions in the language of the transcript, so the transcript is not used as captions.',
  )
  return { state: { ...state, transcriptAsCaptions: false }, leftOut }
}
