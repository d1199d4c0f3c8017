/** Step 2 of the message dialog: the people to choose from, those who are chosen, and the audiences. For admins. */
import { sql } from 'kysely'
import type { DeliveryType } from '~/forms/announcements.ts'
import {
  type AnswerFilter,
  answerFilters,
  chosenTable,
  mostTicked,
  otherAnswer,
  type RecipientGroup,
  type RecipientSort,
  type RecipientStep,
  recipientsTable,
} from '~/forms/recipients.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { limitsOfPage } from '../paging.ts'
import { statusConditions } from '../users/table-entries.server.ts'
import { findMessageId } from './read-announcement.server.ts'
import {
  audiencesAfter,
  canBeChosen,
  isChosen,
  isFoundByFilters,
  isInAudiences,
  obstacleOf,
  type RecipientSet,
} from './recipients.server.ts'
import {
  type ChosenAudience,
  countSet,
  findAudiences,
  type RecipientCounts,
  recipientsKeyOf,
  storedAudiences,
} from './save-recipients.server.ts'

/** A message whose recipients are chosen: `announcementUid` is null for a new one. */
export type ChoiceInput = {
  announcementUid: string | null
  deliveryType: DeliveryType
  steps: RecipientStep[]
  /** The message is the one that a copy is made of. */
  isCopy?: boolean
}

export type Candidate = {
  uid: string
  name: string
  email: string
  status: 'active' | 'inactive' | 'disabled' | 'invited'
  group: RecipientGroup
  institution: string | null
  position: string | null
  research: string | null
  modality: string | null
  region: string | null
  /** Among the recipients already. */
  isAdded: boolean
  /** Why the person cannot be chosen. */
  obstacle: 'disabled' | 'opted_out' | null
}

export type CandidateQuery = Partial<Pick<TableQuery, 'search' | 'filters' | 'sort' | 'isDescending' | 'page' | 'size'>>

/** Up to so many matches are found before they are sorted. A longer list follows the index on names. */
const mostSorted = 5000

/** Lists one page of the people to choose from, with what is known about them. `leftOut` of all found cannot be chosen. */
export async function listCandidates(
  ctx: Ctx,
  input: ChoiceInput & { query: CandidateQuery },
): Promise<{ items: Candidate[]; total: number; leftOut: number }> {
  requireAdmin(ctx)
  const { query } = input
  const set = await setOf(ctx, input)
  const found = isFoundByFilters(ctx, query)
  const { rows: counts } = await sql<{ total: number; leftOut: number }>`
    select count(*)::int as total,
      (count(*) filter (where not ${canBeChosen(ctx, input.deliveryType)}))::int as "leftOut"
    from users where ${found}`.execute(ctx.db)
  const { total, leftOut } = counts[0] ?? { total: 0, leftOut: 0 }
  const { limit, offset } = limitsOfPage({ size: recipientsTable.sizes[0], ...query })
  const sort = recipientsTable.sorts.find((known) => known === query.sort) ?? 'name'
  const condition = total > mostSorted ? found : sql`users.id = any(array(select users.id from users where ${found}))`
  const status = statusConditions(ctx)
  const { rows } = await sql<Candidate>`
    with page as materialized (
      select users.id, row_number() over () as place from (
        select users.id from users left join user_facets facets on facets.user_id = users.id
        where ${condition}
        order by ${sortKeys(ctx)[sort]} ${query.isDescending ? sql`desc` : sql`asc`} nulls last, users.name_key, users.id
        limit ${limit} offset ${offset}) users)
    select users.uid, coalesce(users.email, '') as email,
      coalesce(nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''), users.email, '') as name,
      case when ${status.active} then 'active' when users.is_active then 'inactive'
        when ${status.invited} then 'invited' else 'disabled' end as status,
      coalesce(facets.group_key, 'external') as "group", facets.institution_type as institution, facets.position,
      facets.research_type as research, facets.modality, facets.region,
      ${isChosen(ctx, set)} as "isAdded", ${obstacleOf(ctx, input.deliveryType)} as obstacle
    from page join users on users.id = page.id left join user_facets facets on facets.user_id = users.id
    order by page.place`.execute(ctx.db)
  return { items: rows, total, leftOut }
}

function sortKeys(ctx: Ctx): Record<RecipientSort, ReturnType<typeof sql>> {
  const { active, invited } = statusConditions(ctx)
  return {
    name: sql`users.name_key`,
    email: sql`users.email_key collate "C"`,
    status: sql`case when ${active} then 1 when users.is_active then 2 when ${invited} then 4 else 3 end`,
    group: sql`coalesce(facets.group_key, 'external') collate "C"`,
    position: sql`lower(facets.position) collate "C"`,
    region: sql`lower(facets.region) collate "C"`,
  }
}

/** Lists the uids of everybody who is found and can be chosen and is not chosen yet, up to the number that can be ticked. */
export async function listCandidateUids(ctx: Ctx, input: ChoiceInput & { query: CandidateQuery }): Promise<string[]> {
  requireAdmin(ctx)
  const set = await setOf(ctx, input)
  const { rows } = await sql<{ uid: string }>`
    select users.uid from users
    where ${isFoundByFilters(ctx, input.query)} and ${canBeChosen(ctx, input.deliveryType)} and not ${isChosen(ctx, set)}
    order by users.name_key, users.id limit ${mostTicked}`.execute(ctx.db)
  return rows.map(({ uid }) => uid)
}

export type ChosenPerson = { uid: string; name: string; email: string }

export type ChosenRecipients = RecipientCounts & {
  people: number
  /** One page of the people, by name. */
  page: ChosenPerson[]
  audiences: (Pick<ChosenAudience, 'uid' | 'name'> & { people: number })[]
  /** How many were chosen and do not get the message, because they have opted out of emails (C-049). */
  optedOut: number
}

/** Lists who is chosen: how many people, one page of them, and the audiences. */
export async function listChosenRecipients(
  ctx: Ctx,
  input: ChoiceInput & { page?: number },
): Promise<ChosenRecipients> {
  requireAdmin(ctx)
  const set = await setOf(ctx, input)
  const audiences = await findAudiences(
    ctx,
    audiencesAfter(await storedAudiences(ctx, set.announcementId), input.steps),
  )
  const size = chosenTable.sizes[0]
  const { limit, offset } = limitsOfPage({ page: input.page ?? 1, size })
  const [counts, { rows: page }, sizes, optedOut] = await Promise.all([
    countSet(ctx, set, audiences),
    sql<ChosenPerson>`
      select users.uid, coalesce(users.email, '') as email,
        coalesce(nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''), users.email, '') as name
      from users where ${isChosen(ctx, set)}
      order by users.name_key, users.id limit ${limit} offset ${offset}`.execute(ctx.db),
    countAudiences(ctx, audiences, input.deliveryType),
    input.deliveryType === 'email' ? countOptedOut(ctx, set) : 0,
  ])
  return {
    ...counts,
    page,
    audiences: audiences.map(({ uid, name }, index) => ({ uid, name, people: sizes[index] ?? 0 })),
    optedOut,
  }
}

/** Counts the people of each audience, in one query. */
async function countAudiences(
  ctx: Ctx,
  audiences: ChosenAudience[],
  deliveryType: ChoiceInput['deliveryType'],
): Promise<number[]> {
  if (audiences.length === 0) return []
  const counts = audiences.map((one) => sql`count(*) filter (where ${isInAudiences(ctx, [one], deliveryType)})`)
  const { rows } = await sql<{ counts: number[] }>`
    select jsonb_build_array(${sql.join(counts)}) as counts from users
    where ${isInAudiences(ctx, audiences, deliveryType)}`.execute(ctx.db)
  return rows[0]?.counts ?? []
}

async function countOptedOut(ctx: Ctx, set: RecipientSet): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from users
    where ${isChosen(ctx, { ...set, deliveryType: 'dashboard' })} and users.opted_out_of_emails`.execute(ctx.db)
  return rows[0]?.count ?? 0
}

/** Counts everybody who would get the message now. */
export async function countRecipients(ctx: Ctx, input: ChoiceInput): Promise<RecipientCounts> {
  requireAdmin(ctx)
  const set = await setOf(ctx, input)
  const audiences = await findAudiences(
    ctx,
    audiencesAfter(await storedAudiences(ctx, set.announcementId), input.steps),
  )
  return countSet(ctx, set, audiences)
}

/** Returns the key of the recipients that a review shows: see `recipientsKeyOf`. */
export async function getRecipientsKey(ctx: Ctx, input: ChoiceInput): Promise<string> {
  requireAdmin(ctx)
  const set = await setOf(ctx, input)
  const stored = await storedAudiences(ctx, set.announcementId)
  return recipientsKeyOf(ctx, set, await findAudiences(ctx, audiencesAfter(stored, input.steps)))
}

async function setOf(ctx: Ctx, input: ChoiceInput): Promise<RecipientSet> {
  const { announcementUid, deliveryType, steps, isCopy = false } = input
  if (announcementUid === null) return { announcementId: null, deliveryType, steps }
  // A copy goes on when its original is deleted.
  const announcementId = await findMessageId(ctx, announcementUid, { withDeleted: isCopy })
  return { announcementId, deliveryType, steps, isCopy }
}

const mostAudiences = 500

/** Lists the audiences of the site by name, to choose from. */
export async function listAudienceChoices(ctx: Ctx): Promise<{ uid: string; name: string }[]> {
  requireAdmin(ctx)
  const { rows } = await sql<{ uid: string; name: string }>`
    select uid, name from audiences where site_id = ${ctx.site.id} and deleted_at is null
    order by name, id limit ${mostAudiences}`.execute(ctx.db)
  return rows
}

/**
 * Lists the answers to filter by, in the order of the questionnaire. An option that lets people write an answer of their
 * own stands as "Other", whatever it is called.
 */
export async function listAnswerChoices(ctx: Ctx): Promise<Record<AnswerFilter, { value: string; label: string }[]>> {
  requireAdmin(ctx)
  const { rows } = await sql<{ key: string; uid: string; text: string; isCustom: boolean }>`
    select question.key, option.uid, option.text, option.allows_custom_answer as "isCustom"
    from profile_questions question join profile_options option on option.question_id = question.id
    where question.site_id = ${ctx.site.id} and question.key is not null
    order by option.position, option.id`.execute(ctx.db)
  const choicesOf = (name: AnswerFilter) => [
    ...rows
      .filter(({ key, isCustom }) => key === answerFilters[name].key && !isCustom)
      .map(({ uid, text }) => ({ value: uid, label: text })),
    { value: otherAnswer, label: 'Other' },
  ]
  return {
    institution: choicesOf('institution'),
    position: choicesOf('position'),
    research: choicesOf('research'),
    modality: choicesOf('modality'),
    region: choicesOf('region'),
  }
}
