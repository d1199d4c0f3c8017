import type { LoaderFunctionArgs } from '@remix-run/node'
import { type MetaFunction, useLoaderData } from '@remix-run/react'
import { ModulePage } from '~/components/modules/module-page.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { titleFrom } from '~/http/meta.ts'
import { notFoundPage } from '~/http/respond.server.ts'
import { formatMoment } from '~/lib/dates.ts'
import { chooseText } from '~/lib/language.ts'
import { isUid } from '~/lib/uid.ts'
import { listCardsOfModules } from '~/services/modules/cards.server.ts'
import { listUnitsOfVersions } from '~/services/modules/parts.server.ts'
import { listOwnAttempts } from '~/services/progress/progress.server.ts'
import { viewsOfCards } from '~/services/read/module-views.server.ts'

export const meta: MetaFunction<typeof loader> = ({ matches, data }) => titleFrom(matches, data?.module.name ?? 'Module')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const moduleUid = args.params.uid ?? ''
  const card = isUid(moduleUid) ? (await listCardsOfModules(ctx, [moduleUid])).get(moduleUid.toLowerCase()) : undefined
  if (!card) throw notFoundPage()
  const [views, units, attempts] = await Promise.all([
    viewsOfCards(ctx, [card]),
    card.publishedVersionUid ? listUnitsOfVersions(ctx, [card.publishedVersionUid]) : new Map(),
    listOwnAttempts(ctx, { moduleUid }),
  ])
  const [module] = views
  if (!module) throw notFoundPage()
  const language = args.request.headers.get('Accept-Language') ?? 'en'
  const current = attempts.find((attempt) => attempt.isOpen)
  const published = (units.get(card.publishedVersionUid ?? '') ?? []) as { uid: string; title: Record<string, string> }[]
  return {
    module,
    units: (current?.units ?? published).map((unit) => ({
      uid: unit.uid,
      title: chooseText(unit.title, language),
      state: 'state' in unit ? unit.state : ('not started' as const),
      percent: 'percent' in unit ? unit.percent : 0,
      score: 'score' in unit ? unit.score : null,
    })),
    attempts: attempts.map(({ number, percent, score, isOpen, startedAt, lastVisitedAt }) => ({
      number,
      percent,
      score,
      isOpen,
      startedAt: formatMoment(startedAt, ctx.site.timeZone),
      lastVisitedAt: formatMoment(lastVisitedAt, ctx.site.timeZone),
    })),
  }
}

export default function Module() {
  return <ModulePage {...useLoaderData<typeof loader>()} />
}
