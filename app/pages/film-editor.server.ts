/** The dialogs of lectures and videos: the form's values and choices, and the answers to its buttons. */
import { type ActionFunctionArgs, redirect } from '@remix-run/node'
import { filmKinds } from '~/components/console/films/kinds.ts'
import {
  type FilmChoices,
  type FilmFiles,
  type FilmMediaView,
  filmMediaDefaults,
  type SavedFilmView,
} from '~/components/console/films/view.ts'
import { captionsField } from '~/forms/film-media.ts'
import { type FilmKindName, filmFormId, filmUnsaved } from '~/forms/films.ts'
import { exitIntent, previewIntent, watchIntent } from '~/forms/intents.ts'
import { writeTags } from '~/forms/tags.ts'
import type { SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { previewMarkdown } from '~/http/markdown-preview.server.ts'
import { type MergedForm, sendMerged } from '~/http/merged-form.server.ts'
import { revisionIn, text } from '~/http/respond.server.ts'
import { captionLanguages } from '~/lib/caption-languages.ts'
import { fileAddress } from '~/lib/file-address.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { listPartsOf } from '~/services/access/parts.server.ts'
import { listAccessPlans } from '~/services/access/plans.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, NotFound } from '~/services/errors.ts'
import { isMediaField } from '~/services/films/media-fields.server.ts'
import { countConsequencesOfFilm, type FilmConsequences } from '~/services/read/consequences.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { listTagTexts } from '~/services/tags/tags.server.ts'
import { problemsInWords } from './checks.server.ts'
import { counted, inProgressInWords } from './consequences.server.ts'
import { filmDoors, type StoredFields } from './film-doors.server.ts'
import { filmMediaView, mediaInputs } from './film-media.server.ts'
import { exitPreview, previewFilm } from './film-preview.server.ts'
import { answerDraft, endDraft } from './form-drafts.server.ts'
import { plannedInWords } from './schedule.server.ts'

/** Lists the site's plans and tags, for the form. */
export async function listFilmFormChoices(ctx: Ctx): Promise<FilmChoices> {
  const [plans, tags] = await Promise.all([listAccessPlans(ctx), listTagTexts(ctx)])
  return { plans: plans.map(({ uid, name }) => ({ value: uid, label: name })), tags }
}

type FilmEditor = {
  name: string
  view: SavedFilmView
  defaults: Record<string, unknown>
  files: FilmFiles
  media: FilmMediaView
  problems: string[]
  planned: string[]
}

/** Reads everything that the dialog shows. For staff. */
export async function getFilmEditor(ctx: Ctx, kind: FilmKindName, filmUid: string): Promise<FilmEditor> {
  const { film, state, revision, ...stored } = await filmDoors[kind].toEdit(ctx, filmUid)
  const { uid, name, status } = film
  const [files, problems, planned] = await Promise.all([
    readFiles(ctx, kind, uid),
    problemsInWords(ctx, { kind, uid }),
    plannedInWords(ctx, { kind, itemUid: uid }),
  ])
  const media = filmMediaView(stored.media)
  return {
    name,
    problems,
    planned,
    view: { uid, status, revision },
    defaults: { ...formValues(state), ...filmMediaDefaults(media) },
    media,
    files,
  }
}

async function readFiles(ctx: Ctx, kind: FilmKindName, uid: string): Promise<FilmFiles> {
  const cover = (await listPartsOf(ctx, `${kind}s`, [uid], ['cover'])).get(uid)?.cover
  if (!cover) return { coverImg: null }
  const { name, originalFileName, size } = cover
  return { coverImg: { name, originalFileName, size, url: fileAddress(name) } }
}

type FormValues = Record<string, string | string[]>

/** Returns the form's fields but those of the media in the form in which the page sends them back. */
function formValues({ chapterUid: _, tags, ...state }: StoredFields): FormValues {
  const entries = Object.entries(state).flatMap(([name, value]): [string, string | string[]][] => {
    if (isMediaField(name)) return []
    if (typeof value === 'boolean') return value ? [[name, 'on']] : []
    return [[name, (value as string | string[] | null) ?? '']]
  })
  return { ...Object.fromEntries(entries), tags: writeTags(tags as string[]) }
}

/** Answers the buttons of the dialog that creates. The uid of the page makes a form that is sent twice create one film. */
export async function answerNewFilm(args: ActionFunctionArgs, ctx: SignedIn, kind: FilmKindName, form: FormData) {
  const intent = text(form, 'intent')
  const shown = (await answerDraft(args, ctx, form)) ?? (await answerPreviews(args, ctx, kind, form))
  if (shown) return shown
  // This button reaches the server only without JavaScript.
  if (intent === 'publish') throw new Conflict(`${kind}.unsaved`, filmUnsaved(kind))
  const { uid } = await filmDoors[kind].create(ctx, form, text(form, 'uid'))
  await endDraft(ctx, form)
  const { path, title } = filmKinds[kind]
  const to = `${path}${uid}/${tableSearch(new URL(args.request.url).search)}`
  const notice = { kind: 'success', text: `${title} has been saved.` } as const
  // Replaces the form in the history; otherwise Back would open an empty form.
  return redirectWithNotice(args, to, notice, { isReplacing: true })
}

/** Answers the buttons of the dialog that edits. */
export async function answerFilmForm(args: ActionFunctionArgs, ctx: SignedIn, kind: FilmKindName, form: FormData) {
  const uid = args.params.uid ?? ''
  const { path, title } = filmKinds[kind]
  const place = `${path}${uid}/`
  const list = tableSearch(new URL(args.request.url).search)
  const shown = (await answerDraft(args, ctx, form)) ?? (await answerPreviews(args, ctx, kind, form))
  if (shown) return shown
  // With JavaScript this intent is not posted. Without it, it must not ignore unsaved changes.
  if (text(form, 'intent') === 'publish') {
    if (!(await filmDoors[kind].isSaved(ctx, form, uid))) throw new Conflict(`${kind}.unsaved`, filmUnsaved(kind))
    return redirect(`${place}publish/${list}`)
  }
  try {
    const { keptOfOthers } = await filmDoors[kind].save(ctx, form, { uid, revision: revisionIn(form) })
    await endDraft(ctx, form)
    const kept = keptOfOthers.length > 0 ? ' Other changes that were made in the meantime were kept.' : ''
    return redirectWithNotice(args, place + list, { kind: 'success', text: `${title} has been saved.${kept}` })
  } catch (error) {
    if (error instanceof NotFound) throw new NotFound(removed(kind))
    if (!(error instanceof ChangedMeanwhile)) throw error
    const { exchange } = args.context
    return sendMerged({ ctx, exchange, form }, error, await mergedFilmForm(ctx, kind, { uid, form }, error))
  }
}

async function answerPreviews(args: ActionFunctionArgs, ctx: SignedIn, kind: FilmKindName, form: FormData) {
  const intent = text(form, 'intent')
  if (intent === watchIntent) return previewFilm(args, ctx, kind, form)
  if (intent === exitIntent) return exitPreview(args, ctx, form)
  if (intent === previewIntent) return previewMarkdown(args, ctx, form, ['questionsMarkdown'])
  return null
}

function removed(kind: FilmKindName): string {
  return `Someone removed this ${kind} while you were editing it, so it could not be saved. What you typed is still here.`
}

/** Returns the stored value of each field in the form in which the dialog posts it. */
async function mergedFilmForm(
  ctx: SignedIn,
  kind: FilmKindName,
  { uid, form }: { uid: string; form: FormData },
  { now, takenOver }: ChangedMeanwhile,
): Promise<MergedForm> {
  const values = formValues(now.state as StoredFields)
  const { film, ...stored } = await filmDoors[kind].toEdit(ctx, uid)
  const media = filmMediaView(stored.media)
  const { coverImg } = await readFiles(ctx, kind, film.uid)
  const languages = captionLanguages.map(({ code }) => code).filter((code) => form.has(captionsField(code)))
  // The choice between address and file changes only if nobody disagrees about it.
  const isOtherSource = ['videoUrl', 'videoFile'].every((field) => (takenOver as string[]).includes(field))
  return {
    formId: filmFormId(kind, uid, now.revision),
    valuesOf: (field) => ({
      ...(isMediaField(field) ? mediaInputs(field, media, languages) : { [field]: values[field] ?? [] }),
      ...(field === 'videoFile' && isOtherSource && { videoSource: media.videoFile ? 'file' : 'address' }),
      // A file changes with its name and size.
      ...(field === 'coverImg' && {
        'coverImg-fileName': coverImg?.originalFileName ?? '',
        'coverImg-fileSize': String(coverImg?.size ?? ''),
      }),
    }),
  }
}

/** What the question before publishing or unpublishing shows. */
export async function getFilmToPublish(ctx: Ctx, kind: FilmKindName, filmUid: string) {
  const { uid, name, status } = (await filmDoors[kind].toEdit(ctx, filmUid)).film
  const [consequences, problems] = await Promise.all([
    countConsequencesOfFilm(ctx, { kind, uid }),
    problemsInWords(ctx, { kind, uid }),
  ])
  return { uid, name, isPublished: status === 'published', people: inProgressInWords(consequences, kind), problems }
}

/** What the question before deleting shows. */
export async function getFilmToDelete(ctx: Ctx, kind: FilmKindName, filmUid: string) {
  const { uid, name } = (await filmDoors[kind].toEdit(ctx, filmUid)).film
  return { name, warnings: consequencesInWords(kind, await countConsequencesOfFilm(ctx, { kind, uid })) }
}

/** What the removal of a lecture or video means, one sentence each. */
function consequencesInWords(kind: FilmKindName, consequences: FilmConsequences): string[] {
  const { completed, favorites } = consequences
  const people = inProgressInWords(consequences, kind)
  return [
    people && `${people}. They can no longer open it.`,
    completed > 0 &&
      `${counted(completed, 'learner has', 'learners have')} watched it to the end. It disappears from their lists.`,
    favorites > 0 && `${counted(favorites, 'learner loses', 'learners lose')} it from their saved items.`,
    'You can undo this for thirty days. Everybody’s progress comes back with it.',
  ].filter((sentence) => typeof sentence === 'string')
}
