/** What staff read about a learner in a module: all attempts, and one of them with its launches and its statements in words. */
import { formatMoment } from '~/lib/dates.ts'
import { formatFileSize } from '~/lib/file-size.ts'
import { chooseText, type LangText, parseAcceptLanguage } from '~/lib/language.ts'
import { getRecordsOfAttempt, listSessionsOfAttempt } from '../cmi5/cmi5.server.ts'
import type { Ctx } from '../context.ts'
import { NotFound } from '../errors.ts'
import { type LearnerAttempt, listAttemptsOfLearner } from '../progress/progress.server.ts'
import { secondsInWords, statementInWords } from '../xapi/xapi.server.ts'

type Input = {
  moduleUid: string
  userUid: string
  /** The one to look into; the newest where none is named. */
  registrationUid?: string | null
  before?: string | null
  language?: string
}

/** Moments are written in the site's zone. NotFound for an attempt that is not one of these. */
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

/** One attempt, for the dialogs that do something with it. */
export async function getLearnerAttempt(
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

export type LearnerAttemptToChange = Awaited<ReturnType<typeof getLearnerAttempt>>

function titlesIn(language: string) {
  return ({ index, title }: { index: number; title: LangText }) => chooseText(title, language) || `Unit ${index + 1}`
}

export type LearnerAttemptsPage = Awaited<ReturnType<typeof getLearnerAttempts>>
export type AttemptSummary = LearnerAttemptsPage['attempts'][number]
export type AttemptRecords = NonNullable<LearnerAttemptsPage['chosen']>

function summaryOf({ units: _, startedAt, lastVisitedAt, ...attempt }: LearnerAttempt, at: (date: Date) => string) {
  return { ...attempt, startedAt: at(startedAt), lastVisitedAt: at(lastVisitedAt) }
}

async function recordsOf(
  ctx: Ctx,
  attempt: LearnerAttempt,
  {
    learner,
    before,
    language = 'en',
  }: { learner: { uid: string; name: string }; before?: string | null; language?: string },
) {
  const { registrationUid } = attempt
  const { sessions, statements } = await getRecordsOfAttempt(ctx, {
    registrationUid,
    before,
    languages: parseAcceptLanguage(language),
  })
  const at = (date: Date) => formatMoment(date, ctx.site.timeZone)
  const atOrNull = (date: Date | null) => date && at(date)
  const titleOf = titlesIn(language)
  return {
    ...summaryOf(attempt, at),
    units: attempt.units.map(({ seconds, lastVisitedAt, ...unit }) => ({
      ...unit,
      title: titleOf(unit),
      time: seconds > 0 ? secondsInWords(seconds) : null,
      lastVisitedAt: atOrNull(lastVisitedAt),
    })),
    sessions: sessions.map((session) => ({
      uid: session.uid,
      unit: titleOf(session.unit),
      mode: session.mode,
      launchedBy: session.launchedBy,
      state: session.state,
      launchedAt: at(session.launchedAt),
      initializedAt: atOrNull(session.initializedAt),
      abandonedBy: session.abandonedBy,
      endedAt: atOrNull(session.terminatedAt ?? session.abandonedAt),
      lastSeenAt: at(session.lastSeenAt),
      time: session.seconds === null ? null : secondsInWords(session.seconds),
    })),
    statements: statements.items.map(({ seq, statement, json, occurredAt, isVoided }) => {
      // Units and we ourselves name the learner by uid; whoever else acts is named by the statement.
      const isLearner = statement.actor.account?.name === learner.uid
      return {
        seq,
        at: at(occurredAt),
        isVoided,
        words: statementInWords(statement, { language, ...(isLearner && { actorName: learner.name }) }),
        json: recordForReading(json),
      }
    }),
    before: before ?? null,
    next: statements.next,
  }
}

const longestRecord = 20_000

/** Indented, while that is of use to a reader: of 10 MB nobody reads more than the beginning, and blanks could make gigabytes of it. */
function recordForReading(json: string): string {
  if (json.length > longestRecord) {
    const start = json.slice(0, longestRecord).replace(/[\ud800-\udbff]$/, '')
    return `${start}\n\n… and so on: this record has ${formatFileSize(Buffer.byteLength(json))}.`
  }
  const indented = JSON.stringify(JSON.parse(json), null, 2)
  return indented.length > longestRecord * 5 ? json : indented
}
