import type { LoaderFunctionArgs } from '@remix-run/node'
import { type MetaFunction, useLoaderData } from '@remix-run/react'
import { ModulePage } from '~/components/modules/module-page.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { titleFrom } from '~/http/meta.ts'
import { notFoundPage } from '~/http/respond.server.ts'
import { formatMoment } from '~/lib/dates.ts'
import { chooseText, headingsOf } from '~/lib/language.ts'
import { viewsOfCards } from '~/pages/modules.server.ts'
import { ownDueOf } from '~/pages/own-due.server.ts'
import { tagsOf } from '~/pages/tags.server.ts'
import { termsOf } from '~/pages/terms.server.ts'
import { listUnitsOfVersions, type ModuleUnit } from '~/services/modules/parts.server.ts'
import { type Attempt, listOwnAttempts } from '~/services/progress/progress.server.ts'
import { findModuleToShow } from '~/services/read/module-to-show.server.ts'

export const meta: MetaFunction<typeof loader> = ({ matches, data }) =>
  titleFrom(matches, data?.module.name ?? 'Module')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const moduleUid = args.params.uid ?? ''
  const found = await findModuleToShow(ctx, { moduleUid })
  if (!found) throw notFoundPage()
  const { card, isClosed, unitsVersionUid } = found
  const [[module], units, attempts, tags, terms, ownDue] = await Promise.all([
    viewsOfCards(ctx, [card]),
    listUnitsOfVersions(ctx, unitsVersionUid ? [unitsVersionUid] : []),
    listOwnAttempts(ctx, { moduleUid }),
    tagsOf(ctx, 'modules', moduleUid),
    termsOf(ctx, [card.description], { kind: 'modules', uid: card.uid }),
    isClosed ? null : ownDueOf(ctx, { kind: 'module', itemUid: moduleUid }),
  ])
  if (!module) throw notFoundPage()
  const { timeZone } = ctx.site
  return {
    module,
    description: terms.mark(card.description),
    isClosed,
    ownDue,
    tags,
    unitsVersionUid: card.isOpenable ? card.publishedVersionUid : null,
    units: unitsToShow(
      attempts.find((attempt) => attempt.isOpen),
      units.get(unitsVersionUid ?? ''),
      args.request.headers.get('Accept-Language') ?? 'en',
    ),
    attempts: attempts.map(({ number, percent, score, isOpen, startedAt, lastVisitedAt }) => ({
      number,
      percent,
      score,
      isOpen,
      startedAt: startedAt && formatMoment(startedAt, timeZone),
      lastVisitedAt: lastVisitedAt && formatMoment(lastVisitedAt, timeZone),
    })),
  }
}

/**
 * Returns the units of the open attempt, which stays on its version. Without one, returns the units that a start would
 * open.
 */
function unitsToShow(open: Attempt | undefined, published: ModuleUnit[] | undefined, language: string) {
  const headings = headingsOf(open?.units ?? published ?? [], language)
  if (open) {
    return open.units.map(({ uid, title, state, percent, score, failedTest, isElsewhere }, index) => ({
      uid,
      title: chooseText(title, language),
      block: headings[index] ?? null,
      state,
      percent,
      score,
      failedTest,
      isElsewhere,
    }))
  }
  return (published ?? []).map(({ uid, title, isElsewhere }, index) => ({
    uid,
    title: chooseText(title, language),
    block: headings[index] ?? null,
    state: 'not started' as const,
    percent: 0,
    score: null,
    failedTest: null,
    isElsewhere,
  }))
}

export default function Module() {
  return <ModulePage {...useLoaderData<typeof loader>()} />
}
