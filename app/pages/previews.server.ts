/** Previews as learners of a plan: the dialog that opens them and makes links, and the page that they show. */
import { randomUUID } from 'node:crypto'
import { type ActionFunctionArgs, data } from '@remix-run/node'
import type { FilmPreviewView } from '~/components/console/films/view.ts'
import type { PreviewsView } from '~/components/console/previews/view.ts'
import type { PreviewPageView } from '~/components/previews/view.ts'
import type { PreviewedKind } from '~/forms/previews.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { text } from '~/http/respond.server.ts'
import { formatMoment } from '~/lib/dates.ts'
import { imageAddress } from '~/lib/file-address.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { listAccessPlans } from '~/services/access/plans.server.ts'
import { actsAsStaff, type Ctx } from '~/services/context.ts'
import {
  createPreviewLink,
  getItemToPreview,
  listPreviewLinks,
  type PreviewedItem,
  revokePreviewLink,
} from '~/services/previews/preview-links.server.ts'
import type { ModuleAccess, Preview, PreviewedCourse, PreviewedFilm } from '~/services/previews/previews.server.ts'
import { courseViewOf, descriptionsIn, shownSections } from './courses.server.ts'
import { filmPreviewOf } from './film-preview.server.ts'
import { viewOf } from './modules.server.ts'
import { termsOf } from './terms.server.ts'

const nouns = { course: 'Course', lecture: 'Lecture', video: 'Video' } as const

/** Reads what the dialog shows. */
export async function loadPreviews(ctx: Ctx, input: PreviewedItem): Promise<PreviewsView> {
  const { kind } = input
  const { uid: itemUid, name, planUids } = await getItemToPreview(ctx, input)
  const [plans, links] = await Promise.all([listAccessPlans(ctx), listPreviewLinks(ctx, { kind, itemUid })])
  return {
    noun: nouns[kind],
    name,
    closeTo: `/dashboard/${kind}s/${itemUid}/`,
    uid: randomUUID(),
    planUid: (plans.find(({ uid }) => planUids.includes(uid)) ?? plans[0])?.uid ?? '',
    plans: plans.map(({ uid, name }) => ({
      value: uid,
      label: name,
      address: `/previews/${kind}s/${itemUid}/?plan=${uid}`,
    })),
    links: links.map(({ uid, planName, createdBy, expiresAt }) => ({
      uid,
      text: `As a learner of ${planName}, ${createdBy === '' ? '' : `made by ${createdBy}, `}until ${formatMoment(expiresAt, ctx.site.timeZone)}`,
    })),
  }
}

/** Makes or revokes a link. The address of a new one is in the answer, and nowhere else. */
export async function answerPreviews(args: ActionFunctionArgs, ctx: Ctx, kind: PreviewedKind, form: FormData) {
  const itemUid = args.params.uid ?? ''
  if (text(form, 'intent') === 'revoke') {
    await revokePreviewLink(ctx, { linkUid: text(form, 'linkUid') })
    const to = `/dashboard/${kind}s/${itemUid}/preview/${tableSearch(new URL(args.request.url).search)}`
    return redirectWithNotice(args, to, { kind: 'success', text: 'The link no longer works.' })
  }
  const uid = text(form, 'uid') || undefined
  const { token } = await createPreviewLink(ctx, { kind, itemUid, uid, planUid: text(form, 'planUid') })
  return data({ made: `${ctx.site.baseUrl}/previews/link/${token}/` })
}

/** The page of a preview. */
export async function previewPageOf(ctx: Ctx, preview: Preview): Promise<PreviewPageView> {
  const { plan, name, shown, tags } = preview
  const uid = shown.kind === 'course' ? shown.outline.uid : shown.uid
  return {
    planName: plan.name,
    name,
    access: accessOf(preview),
    editAddress: actsAsStaff(ctx) ? `/dashboard/${shown.kind}s/${uid}/` : null,
    course: shown.kind === 'course' ? await courseOf(ctx, shown, tags) : null,
    film: shown.kind === 'course' ? null : await filmOf(ctx, shown, tags),
  }
}

function accessOf({ plan, isInPlan, isPublished, hasEarlier }: Preview): string {
  if (!isInPlan) return `Learners of ${plan.name} cannot open it, because it is not in their plan.`
  if (hasEarlier) return `This version is a draft. Learners of ${plan.name} still have the published one.`
  return isPublished
    ? `Learners of ${plan.name} can open it.`
    : `It is a draft. Learners of ${plan.name} can open it once it is published.`
}

const accessInWords: Record<ModuleAccess, string> = {
  open: 'Open',
  announced: 'Coming Soon',
  closed: 'Closed, not in this plan',
  draft: 'Draft, which learners do not see',
}

async function courseOf(
  ctx: Ctx,
  { outline, modules }: PreviewedCourse,
  tags: string[],
): Promise<PreviewPageView['course']> {
  const texts = [outline.description, ...descriptionsIn(outline.sections)]
  const terms = await termsOf(ctx, texts, { kind: 'courses', uid: outline.uid })
  const views = new Map([...modules].map(([uid, card]) => [uid, viewOf(card, undefined, new Set())]))
  return {
    tags,
    access: Object.fromEntries([...modules].map(([uid, { access }]) => [uid, accessInWords[access]])),
    details: {
      ...courseViewOf(outline, undefined, new Set()),
      description: terms.mark(outline.description),
      learningObjectives: outline.learningObjectives,
      bannerAddress: outline.banner && imageAddress(outline.banner.imageUid),
      sections: shownSections(outline.sections, views, terms.mark),
      countedCount: 0,
      completedCount: 0,
      hiddenCount: 0,
      nextModuleUid: null,
      startedOn: null,
    },
  }
}

async function filmOf(ctx: Ctx, film: PreviewedFilm, tags: string[]): Promise<FilmPreviewView> {
  const { kind, state, duration, cover, src, tracks, transcript } = film
  const { name, description, presenter, phases } = state
  const questions = 'questionsMarkdown' in state ? state.questionsMarkdown : ''
  const terms = await termsOf(ctx, [description, questions], { kind: `${kind}s`, uid: film.uid })
  const shown = {
    ...{ kind, name, description, presenter, phases, tags, questions },
    cover: cover?.url ?? null,
    ...('category' in state && { category: state.category }),
  }
  return {
    ...filmPreviewOf(ctx, shown, terms),
    ...{ src, isFile: false, tracks, transcript, duration },
  }
}
