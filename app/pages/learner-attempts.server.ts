/** A learner's work in a module as staff see it: all attempts, one of them in full, and the dialogs that change it. */

import type { LoaderFunctionArgs } from '@remix-run/node'
import { attemptSearch } from '~/components/console/modules/attempt-address.ts'
import type { AttemptRecords, AttemptSummary } from '~/components/console/modules/attempt-view.ts'
import { notFoundPage, throwAsPage } from '~/http/respond.server.ts'
import { formatMoment } from '~/lib/dates.ts'
import { chooseText, headingsOf, type LangText, parseAcceptLanguage } from '~/lib/language.ts'
import { getRecordsOfAttempt, listSessionsOfAttempt } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { NotFound } from '~/services/errors.ts'
import { type LearnerAttempt, listAttemptsOfLearner } from '~/services/progress/progress.server.ts'
import { secondsInWords, statementInWords } from '~/services/xapi/xapi.server.ts'
import { recordForReading } from './statement-record.ts'

type Input = {
  moduleUid: string
  userUid: string
  /** The attempt to show; the newest if none is given. */
  registrationUid?: string | null
  before?: string | null
  language?: string
}

/**
 * Reads the attempts, with times in the site's time zone. Throws NotFound if the attempt is not one of this learner in
 * this module.
 */
export async function getLearnerAttempts(ctx: Ctx, input: Input) {
  const { learner, module, attempts } = await listAttemptsOfLearner(ctx, input)
  const wanted = input.registrationUid?.toLowerCase()
  const chosen = wanted
    ? attempts.find(({ registrationUid }) => registrationUid === wanted)
    : (attempts.find(({ isPreview }) => !isPreview) ?? attempts[0])
  if (wanted && !chosen) throw new NotFound()
  const at = (date: Date) => formatMoment(date, ctx.site.timeZone)
  return {
    learner,
    module,
    timeZone: ctx.site.timeZone,
    attempts: attempts.map((attempt) => summaryOf(attempt, at)),
    chosen: chosen ? await recordsOf(ctx, chosen, { ...input, learner }) : null,
  }
}

/** Reads one attempt, for the dialogs that change it. */
async function getLearnerAttempt(
  ctx: Ctx,
  input: { moduleUid: string; userUid: string; registrationUid: string | null; language?: string },
) {
  const { learner, module, attempts } = await listAttemptsOfLearner(ctx, input)
  const wanted = input.registrationUid?.toLowerCase()
  const attempt = attempts.find(({ registrationUid }) => registrationUid === wanted)
  if (!attempt) throw new NotFound()
  const open = (await listSessionsOfAttempt(ctx, attempt)).find(({ state }) => state === 'open')
  const titleOf = titlesIn(input.language ?? 'en')
  const at = (date: Date) => formatMoment(date, ctx.site.timeZone)
  return {
    learner,
    module,
    attempt: {
      ...summaryOf(attempt, at),
      units: attempt.units.map(({ uid, isMet, waiveReason, ...unit }) => ({
        uid,
        isMet,
        waiveReason,
        title: titleOf(unit),
      })),
    },
    open: open ? { uid: open.uid, unit: titleOf(open.unit), since: at(open.launchedAt) } : null,
  }
}

function titlesIn(language: string) {
  return ({ index, title }: { index: number; title: LangText }) => chooseText(title, language) || `Unit ${index + 1}`
}

function summaryOf(
  { units: _, startedAt, lastVisitedAt, ...attempt }: LearnerAttempt,
  at: (date: Date) => string,
): AttemptSummary {
  return { ...attempt, startedAt: startedAt && at(startedAt), lastVisitedAt: lastVisitedAt && at(lastVisitedAt) }
}

async function recordsOf(
  ctx: Ctx,
  attempt: LearnerAttempt,
  {
    learner,
    before,
    language = 'en',
  }: { learner: { uid: string; name: string }; before?: string | null; language?: string },
): Promise<AttemptRecords> {
  const { registrationUid } = attempt
  const { sessions, statements } = await getRecordsOfAttempt(ctx, {
    registrationUid,
    before,
    languages: parseAcceptLanguage(language),
  })
  const at = (date: Date) => formatMoment(date, ctx.site.timeZone)
  const atOrNull = (date: Date | null) => date && at(date)
  const titleOf = titlesIn(language)
  const headings = headingsOf(attempt.units, language)
  return {
    ...summaryOf(attempt, at),
    units: attempt.units.map(({ seconds, lastVisitedAt, blocks: _, ...unit }, index) => ({
      ...unit,
      title: [headings[index], titleOf(unit)].filter(Boolean).join(': '),
      time: seconds > 0 ? secondsInWords(seconds) : null,
      lastVisitedAt: atOrNull(lastVisitedAt),
    })),
    sessions: sessions.map((session) => ({
      uid: session.uid,
      unit: titleOf(session.unit),
      mode: session.mode,
      launchedBy: session.launchedBy,
      state: session.state,
      isUnbegun: session.isUnbegun,
      launchedAt: at(session.launchedAt),
      initializedAt: atOrNull(session.initializedAt),
      abandonedBy: session.abandonedBy,
      endedAt: atOrNull(session.terminatedAt ?? session.abandonedAt),
      lastSeenAt: at(session.lastSeenAt),
      time: session.seconds === null ? null : secondsInWords(session.seconds),
    })),
    statements: statements.items.map(({ seq, statement, json, occurredAt, isVoided, isOfUnbegunLaunch }) => {
      // Units and Titrate identify the learner by uid. Any other actor is named in the statement itself.
      const isLearner = statement.actor.account?.name === learner.uid
      return {
        seq,
        at: at(occurredAt),
        isVoided,
        isOfUnbegunLaunch,
        words: statementInWords(statement, { language, ...(isLearner && { actorName: learner.name }) }),
        json: recordForReading(json),
      }
    }),
    before: before ?? null,
    next: statements.next,
  }
}

type Args = Pick<LoaderFunctionArgs, 'request' | 'params'>

export function registrationOf({ request }: Args): string {
  return new URL(request.url).searchParams.get('attempt') ?? ''
}

/** Returns the address of the attempts page, at the attempt that the dialog is about. */
export function attemptsAddress(args: Args, registrationUid = registrationOf(args)): string {
  const { uid, userUid } = args.params
  const { search } = new URL(args.request.url)
  return `/dashboard/modules/${uid}/learners/${userUid}/${attemptSearch(search, registrationUid)}`
}

export async function attemptOfDialog(ctx: Ctx, args: Args) {
  const { uid, userUid } = args.params
  return getLearnerAttempt(ctx, {
    moduleUid: uid ?? '',
    userUid: userUid ?? '',
    registrationUid: registrationOf(args),
    language: args.request.headers.get('Accept-Language') ?? 'en',
  }).catch(throwAsPage)
}

/** Reads the attempt of the dialog and the unit that the address names. */
export async function unitOfDialog(ctx: Ctx, args: Args) {
  const { attempt, ...page } = await attemptOfDialog(ctx, args)
  const { units, ...summary } = attempt
  const unit = units.find(({ uid }) => uid === args.params.unitUid?.toLowerCase())
  if (!unit) throw notFoundPage()
  return { ...page, attempt: summary, unit }
}
