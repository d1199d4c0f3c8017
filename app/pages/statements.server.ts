/** The statement browser: statements as sentences and as they are stored. */
import type { StatementsView } from '~/components/console/statements/view.ts'
import { type StatementFilters, statementFilters } from '~/forms/statements.ts'
import { formatMoment } from '~/lib/dates.ts'
import { parseAcceptLanguage } from '~/lib/language.ts'
import { type FoundStatement, findStatements } from '~/services/cmi5/find-statements.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid } from '~/services/errors.ts'
import { listModuleNames } from '~/services/modules/table.server.ts'
import { isActivity, statementInWords } from '~/services/xapi/xapi.server.ts'
import { recordForReading } from './statement-record.ts'

const path = '/dashboard/statements/'

export function statementFiltersOf(params: URLSearchParams): StatementFilters {
  return statementFilters.parse(Object.fromEntries(params))
}

export async function getStatementsPage(
  ctx: Ctx,
  { filters, language }: { filters: StatementFilters; language: string },
): Promise<StatementsView> {
  const { before, ...shown } = filters
  const [{ items, next, problem }, modules] = await Promise.all([found(ctx, filters, language), listModuleNames(ctx)])
  return {
    rows: items.map((item) => rowOf(ctx, item, language)),
    filters: shown,
    modules,
    problem,
    next: next === null ? null : addressOf({ ...shown, before: String(next) }),
    newest: before === '' ? null : addressOf(shown),
    isFiltered: Object.values(shown).some((value) => value !== ''),
    timeZone: ctx.site.timeZone.replaceAll('_', ' '),
  }
}

async function found(ctx: Ctx, filters: StatementFilters, language: string) {
  try {
    const page = await findStatements(ctx, { ...filters, languages: parseAcceptLanguage(language) })
    return { ...page, problem: null }
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    return { items: [], next: null, problem: error.message }
  }
}

function addressOf(filters: Partial<StatementFilters>): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''))
  return query.size === 0 ? path : `${path}?${query}`
}

function rowOf(ctx: Ctx, item: FoundStatement, language: string): StatementsView['rows'][number] {
  const { seq, statement, json, learner } = item
  const registration = statement.context?.registration
  return {
    seq,
    at: formatMoment(item.storedAt, ctx.site.timeZone),
    words: statementInWords(statement, { language, ...(learner && { actorName: learner.name }) }),
    json: recordForReading(json),
    personTo: learner && `/dashboard/users/${learner.uid}/`,
    registrationTo: registration === undefined ? null : addressOf({ registration }),
    activityTo: isActivity(statement.object) ? addressOf({ activity: statement.object.id }) : null,
  }
}
