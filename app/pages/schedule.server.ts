/** The schedule in the console: the dialog of one content, and the list of all planned changes. */
import type { ActionFunctionArgs } from '@remix-run/node'
import type { ScheduleRow, ScheduleView, WaitingChange } from '~/components/console/schedule/view.ts'
import type { ScheduledKind } from '~/forms/schedule.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { text, throwAsPage } from '~/http/respond.server.ts'
import { formatMoment } from '~/lib/dates.ts'
import { pageNumber, tableSearch } from '~/lib/table-query.ts'
import { localTimeOf } from '~/lib/zoned-time.ts'
import type { Ctx } from '~/services/context.ts'
import {
  getItemToSchedule,
  listScheduledChanges,
  listWaitingChanges,
  type ScheduledChange,
  scheduleChange,
} from '~/services/schedule/schedule.server.ts'
import { problemsInWords } from './checks.server.ts'

/** Reads what the dialog of one content shows. */
export async function loadSchedule(ctx: Ctx, input: { kind: ScheduledKind; itemUid: string }): Promise<ScheduleView> {
  const { kind } = input
  const item = await getItemToSchedule(ctx, input).catch(throwAsPage)
  const [waiting, problems] = await Promise.all([
    listWaitingChanges(ctx, { kind, itemUid: item.uid }),
    problemsInWords(ctx, { kind, uid: item.uid }),
  ])
  return {
    kind,
    uid: item.uid,
    name: item.name,
    status: item.isPublished ? 'published' : 'draft',
    canUnpublish: item.canUnpublish,
    waiting: waiting.map((change) => waitingInWords(ctx, change)),
    problems,
    defaults: { action: item.isPublished ? 'unpublish' : 'publish', at: tomorrowAtNine(ctx) },
    now: ctx.now.getTime(),
  }
}

function tomorrowAtNine({ now, site }: Ctx): string {
  const tomorrow = new Date(now.getTime() + 86_400_000)
  return `${localTimeOf(tomorrow, site.timeZone).slice(0, 10)}T09:00`
}

/** Plans the change that the dialog asks for. */
export async function answerSchedule(args: ActionFunctionArgs, ctx: Ctx, kind: ScheduledKind, form: FormData) {
  const change = { action: text(form, 'action'), at: text(form, 'at') }
  const planned = await scheduleChange(ctx, { kind, itemUid: args.params.uid ?? '', ...change })
  const to = `/dashboard/${kind}s/${planned.itemUid}/${tableSearch(new URL(args.request.url).search)}`
  const what = planned.action === 'publish' ? 'published' : 'unpublished'
  return redirectWithNotice(args, to, {
    kind: 'success',
    text: `${nouns[kind]} "${planned.name}" will be ${what} on ${formatMoment(planned.at, ctx.site.timeZone)}.`,
  })
}

const nouns = { course: 'Course', lecture: 'Lecture', module: 'Module', video: 'Video' } as const

/** "Will be published on Nov 25, 2026, 9:00 AM." */
function waitingInWords(ctx: Ctx, { uid, action, at }: ScheduledChange): WaitingChange {
  const what = action === 'publish' ? 'published' : 'unpublished'
  return { uid, text: `Will be ${what} on ${formatMoment(at, ctx.site.timeZone)}.`, at: at.getTime() }
}

/** What is planned for one content, one sentence each. */
export async function plannedInWords(ctx: Ctx, item: { kind: ScheduledKind; itemUid: string }): Promise<string[]> {
  return (await listWaitingChanges(ctx, item)).map((change) => waitingInWords(ctx, change).text)
}

/** The same for the question before the content is removed. */
export async function lostPlansInWords(ctx: Ctx, item: { kind: ScheduledKind; itemUid: string }): Promise<string[]> {
  return (await plannedInWords(ctx, item)).map((text) => `${text} This does not happen while it is in the trash.`)
}

const size = 50

export async function listScheduleRows(ctx: Ctx, request: Request) {
  const page = pageNumber(new URL(request.url).searchParams.get('page'))
  const { items, total } = await listScheduledChanges(ctx, { page, size })
  return { rows: items.map((change) => rowOf(ctx, change)), page, size, total, timeZone: ctx.site.timeZone }
}

function rowOf(ctx: Ctx, change: ScheduledChange): ScheduleRow {
  const { uid, kind, itemUid, name, action, at, plannedBy, endedAt, result, problem } = change
  const ended = endedAt === null ? '' : formatMoment(endedAt, ctx.site.timeZone)
  const states = {
    done: `Done on ${ended}`,
    canceled: `Canceled on ${ended}`,
    failed: `Failed: ${problem}`,
  }
  return {
    uid,
    name: name ?? 'Removed content',
    kind: nouns[kind],
    to: name === null ? null : `/dashboard/${kind}s/${itemUid}/`,
    change: action === 'publish' ? 'Publish' : 'Unpublish',
    on: formatMoment(at, ctx.site.timeZone),
    at: at.getTime(),
    plannedBy,
    state: result === null ? 'Planned' : states[result],
    isWaiting: result === null,
    hasFailed: result === 'failed',
  }
}
