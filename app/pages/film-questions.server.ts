/** The questions before a lecture or video is published, unpublished or removed, and the answers to them. */
import type { ActionFunctionArgs } from '@remix-run/node'
import { filmKinds } from '~/components/console/films/kinds.ts'
import { confirmDeleteForm } from '~/forms/confirm.ts'
import type { FilmKindName } from '~/forms/films.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { text } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import type { Ctx } from '~/services/context.ts'
import { parseInput } from '~/services/input.ts'
import { countConsequencesOfFilm, type FilmConsequences } from '~/services/read/consequences.server.ts'
import { problemsInWords } from './checks.server.ts'
import { counted, inProgressInWords } from './consequences.server.ts'
import { filmDoors } from './film-doors.server.ts'
import { lostPlansInWords } from './schedule.server.ts'

/** What the question before publishing or unpublishing shows. */
export async function getFilmToPublish(ctx: Ctx, kind: FilmKindName, filmUid: string) {
  const { uid, name, status } = await filmDoors[kind].get(ctx, filmUid)
  const [consequences, problems] = await Promise.all([
    countConsequencesOfFilm(ctx, { kind, uid }),
    problemsInWords(ctx, { kind, uid }),
  ])
  return { uid, name, isPublished: status === 'published', people: inProgressInWords(consequences, kind), problems }
}

export async function answerPublishFilm(args: ActionFunctionArgs, ctx: Ctx, kind: FilmKindName, form: FormData) {
  const { path, title } = filmKinds[kind]
  // The button names the action, so that an outdated page does not do the opposite.
  const publish = text(form, 'intent') !== 'unpublish'
  const { name } = await filmDoors[kind].publish(ctx, args.params.uid ?? '', publish)
  return redirectWithNotice(args, path + tableSearch(new URL(args.request.url).search), {
    kind: 'success',
    text: `${title} "${name}" has been ${publish ? 'published' : 'unpublished'}.`,
  })
}

/** What the question before removing shows. */
export async function getFilmToDelete(ctx: Ctx, kind: FilmKindName, filmUid: string) {
  const { uid, name } = await filmDoors[kind].get(ctx, filmUid)
  const [consequences, plans] = await Promise.all([
    countConsequencesOfFilm(ctx, { kind, uid }),
    lostPlansInWords(ctx, { kind, itemUid: uid }),
  ])
  return { name, warnings: [...plans, ...consequencesInWords(kind, consequences)] }
}

export async function answerDeleteFilm(args: ActionFunctionArgs, ctx: Ctx, kind: FilmKindName, form: FormData) {
  parseInput(confirmDeleteForm, Object.fromEntries(form))
  const { path, title } = filmKinds[kind]
  const uid = args.params.uid ?? ''
  const list = tableSearch(new URL(args.request.url).search)
  const { name } = await filmDoors[kind].delete(ctx, uid)
  return redirectWithNotice(args, path + list, {
    kind: 'info',
    text: `${title} "${name}" has been deleted`,
    undo: { action: `${path}${uid}/restore/${list}`, label: 'Undo' },
  })
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
