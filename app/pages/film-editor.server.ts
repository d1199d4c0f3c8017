/** The dialogs of lectures and videos: the form's values and choices, and the answers to its buttons. */
import { randomUUID } from 'node:crypto'
import { type ActionFunctionArgs, redirect } from '@remix-run/node'
import { filmKinds } from '~/components/console/films/kinds.ts'
import { type FilmFiles, filmMediaDefaults } from '~/components/console/films/view.ts'
import { captionsField } from '~/forms/film-media.ts'
import { type FilmKindName, filmFormId, filmUnsaved } from '~/forms/films.ts'
import { exitIntent, previewIntent, watchIntent } from '~/forms/intents.ts'
import { writeTags } from '~/forms/tags.ts'
import type { SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { previewMarkdown } from '~/http/markdown-preview.server.ts'
import type { MergedForm } from '~/http/merged-form.server.ts'
import { revisionIn, text } from '~/http/respond.server.ts'
import { captionLanguages } from '~/lib/caption-languages.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { listPartsOf } from '~/services/access/parts.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict } from '~/services/errors.ts'
import { isMediaField } from '~/services/films/media-fields.server.ts'
import type { ChangedMeanwhile } from '~/services/revisions.ts'
import { problemsInWords } from './checks.server.ts'
import { answerSave, fileInputs, listFormChoices, sentFileOf } from './content-forms.server.ts'
import { filmDoors, type StoredFields } from './film-doors.server.ts'
import { filmMediaView, mediaInputs } from './film-media.server.ts'
import { exitPreview, previewFilm } from './film-preview.server.ts'
import { answerDraft, endDraft, offeredDraft } from './form-drafts.server.ts'
import { plannedInWords } from './schedule.server.ts'

/** Reads everything that the dialog of a new film shows. For staff. */
export async function getNewFilm(ctx: SignedIn, kind: FilmKindName) {
  const media = filmMediaView(null)
  const [choices, draft] = await Promise.all([listFormChoices(ctx), offeredDraft(ctx, { kind })])
  return {
    uid: randomUUID() as string,
    film: null,
    choices,
    draft,
    media,
    files: { coverImg: null },
    defaults: { showsTerms: 'on', accessPlanUids: [], phases: [], ...filmMediaDefaults(media) },
  }
}

/** Reads everything that the dialog of a saved film shows. For staff. */
export async function getFilmEditor(ctx: SignedIn, kind: FilmKindName, filmUid: string) {
  const { film, state, revision, ...stored } = await filmDoors[kind].toEdit(ctx, filmUid)
  const { uid, status } = film
  const [files, choices, draft, problems, planned] = await Promise.all([
    readFiles(ctx, kind, uid),
    listFormChoices(ctx),
    offeredDraft(ctx, { kind, uid }),
    problemsInWords(ctx, { kind, uid }),
    plannedInWords(ctx, { kind, itemUid: uid }),
  ])
  const media = filmMediaView(stored.media)
  return {
    uid,
    film: { uid, status, revision },
    choices,
    draft,
    problems,
    planned,
    defaults: { ...formValues(state), ...filmMediaDefaults(media) },
    media,
    files,
  }
}

async function readFiles(ctx: Ctx, kind: FilmKindName, uid: string): Promise<FilmFiles> {
  return { coverImg: sentFileOf((await listPartsOf(ctx, `${kind}s`, [uid], ['cover'])).get(uid)?.cover) }
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
  return answerSave(args, ctx, form, {
    noun: kind,
    place,
    notice: () => `${title} has been saved.`,
    save: () => filmDoors[kind].save(ctx, form, { uid, revision: revisionIn(form) }),
    merged: (changed) => mergedFilmForm(ctx, kind, { uid, form }, changed),
  })
}

async function answerPreviews(args: ActionFunctionArgs, ctx: SignedIn, kind: FilmKindName, form: FormData) {
  const intent = text(form, 'intent')
  if (intent === watchIntent) return previewFilm(args, ctx, kind, form)
  if (intent === exitIntent) return exitPreview(args, ctx, form)
  if (intent === previewIntent) return previewMarkdown(args, ctx, form, ['questionsMarkdown'])
  return null
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
      ...(field === 'coverImg' && fileInputs(field, coverImg)),
    }),
  }
}
