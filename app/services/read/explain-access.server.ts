/**
 * Why somebody can or cannot see a piece of content, for admins. The answer comes from the same conditions as the
 * learner's pages, asked in that person's place; the reasons are the parts of these conditions.
 */
import { sql } from 'kysely'
import { isStorable, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import {
  accessParts,
  type ContentKind,
  isListed,
  isOpenable,
  namesOfPlansWith,
  seesDrafts,
} from '../access/access.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { isFoundBy } from '../search-conditions.server.ts'
import { findViewer } from '../sessions/sessions.server.ts'

/** `listed`: it is shown, but cannot be opened yet. `kept`: only its name and results, among what was started. */
export type AccessVerdict = 'open' | 'listed' | 'kept' | 'hidden'

export type ExplainedAccess = {
  person: { uid: string; name: string; account: 'open' | 'invited' | 'disabled'; isStaff: boolean }
  item: { kind: ContentKind; uid: string; name: string }
  verdict: AccessVerdict
  facts: {
    isPublished: boolean
    isComingSoon: boolean
    isFeatureOn: boolean
    /** The plan that the person has, also if access has not begun or has ended. */
    plan: { name: string; from: Date | null; until: Date | null; isValid: boolean } | null
    /** The names of the plans that include the item. */
    plansOfItem: string[]
    isInPlan: boolean
    isStarted: boolean
    isAssigned: boolean
  }
}

export const explainedKinds = ['modules', 'courses', 'lectures', 'videos'] as const satisfies ContentKind[]

type Input = { userUid: string; kind: ContentKind; itemUid: string }

/** Explains whether a person of the site can see an item. Throws NotFound if there is no such person or item. */
export async function explainAccess(ctx: Ctx, { userUid, kind, itemUid }: Input): Promise<ExplainedAccess> {
  requireAdmin(ctx)
  if (!isUid(userUid) || !isUid(itemUid)) throw new NotFound()
  const [person, viewer] = await Promise.all([findPerson(ctx, userUid), findViewer(ctx, { userUid })])
  if (!person) throw new NotFound('This user no longer exists.')
  // An account that is not open signs in nowhere, so nobody looks in its place.
  const inTheirPlace: Ctx = {
    ...ctx,
    viewer: person.account === 'open' ? viewer : null,
    isOperator: false,
    scopes: null,
  }
  const { isPublished, isComingSoon, isFeatureOn } = accessParts(ctx, kind)
  const { id, account, plan, ...named } = person
  const started = startedOf[kind]
  const assigned = kind === 'modules' || kind === 'courses' ? assignedOf[kind] : null
  const owner = `${kind.slice(0, -1)}_id`
  const { rows } = await sql<ExplainedAccess['facts'] & { name: string; isOpen: boolean; isShown: boolean }>`
    select name::text, ${isOpenable(inTheirPlace, kind)} as "isOpen", ${isListed(inTheirPlace, kind)} as "isShown",
      ${isPublished} as "isPublished", ${isComingSoon} as "isComingSoon", ${isFeatureOn} as "isFeatureOn",
      ${namesOfPlansWith(kind)} as "plansOfItem",
      exists (select from ${sql.table(started)} begun
        where begun.user_id = ${id} and begun.${sql.ref(owner)} = ${sql.ref(`${kind}.id`)}) as "isStarted",
      ${
        assigned
          ? sql`exists (select from ${sql.table(assigned)} given
              where given.user_id = ${id} and given.${sql.ref(owner)} = ${sql.ref(`${kind}.id`)})`
          : sql`false`
      } as "isAssigned"
    from ${sql.table(kind)}
    where uid = ${itemUid} and site_id = ${ctx.site.id} and deleted_at is null`.execute(ctx.db)
  const [row] = rows
  if (!row) throw new NotFound('This item no longer exists.')
  const { name, isOpen, isShown, ...facts } = row
  const isStaff = account === 'open' && seesDrafts(inTheirPlace)
  const isKept = account === 'open' && facts.isStarted && facts.isPublished && facts.isFeatureOn
  return {
    person: { uid: named.uid, name: named.name, account, isStaff },
    item: { kind, uid: itemUid.toLowerCase(), name },
    verdict: isOpen || (isStaff && isShown) ? 'open' : isShown ? 'listed' : isKept ? 'kept' : 'hidden',
    facts: { ...facts, plan, isInPlan: plan !== null && facts.plansOfItem.includes(plan.name) },
  }
}

const startedOf = {
  modules: 'module_progress',
  courses: 'course_progress',
  lectures: 'lecture_progress',
  videos: 'video_progress',
} as const

const assignedOf = { modules: 'module_assignments', courses: 'course_assignments' } as const

type Person = {
  id: number
  uid: string
  name: string
  account: 'open' | 'invited' | 'disabled'
  plan: ExplainedAccess['facts']['plan']
}

async function findPerson(ctx: Ctx, userUid: string): Promise<Person | undefined> {
  const { rows } = await sql<
    Omit<Person, 'plan'> & { planName: string | null; from: Date | null; until: Date | null; isValid: boolean }
  >`
    select users.id, users.uid,
      coalesce(nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''), users.email) as name,
      case when exists (select from user_groups where user_id = users.id and name = 'pending_users') then 'invited'
        when users.is_active then 'open' else 'disabled' end as account,
      access_plans.name::text as "planName", subscriptions.valid_from as "from", subscriptions.valid_to as "until",
      (subscriptions.valid_from is null or subscriptions.valid_from <= ${ctx.now})
        and (subscriptions.valid_to is null or subscriptions.valid_to > ${ctx.now}) as "isValid"
    from users left join subscriptions on subscriptions.user_id = users.id
    left join access_plans on access_plans.id = subscriptions.access_plan_id
    where users.site_id = ${ctx.site.id} and users.uid = ${userUid} and users.erased_at is null`.execute(ctx.db)
  const [row] = rows
  if (!row) return undefined
  const { planName, from, until, isValid, ...person } = row
  return { ...person, plan: planName === null ? null : { name: planName, from, until, isValid } }
}

export type FoundByName = { uid: string; name: string; more: string }

const mostFound = 10

/** Finds up to ten people of the site by name or address, for admins. */
export async function findPeopleByName(ctx: Ctx, input: { search: string }): Promise<FoundByName[]> {
  requireAdmin(ctx)
  if (!isStorable(input.search) || searchKey(input.search) === '') return []
  const { rows } = await sql<FoundByName>`
    select uid, coalesce(nullif(trim(concat_ws(' ', first_name, last_name)), ''), email) as name, email as more
    from users where site_id = ${ctx.site.id} and erased_at is null and ${isFoundBy(sql`search_key`, input.search)}
    order by name_key, id limit ${mostFound}`.execute(ctx.db)
  return rows
}

/** Finds up to ten items of a kind by name, drafts too, for admins. */
export async function findItemsByName(ctx: Ctx, input: { kind: ContentKind; search: string }): Promise<FoundByName[]> {
  requireAdmin(ctx)
  if (!isStorable(input.search) || searchKey(input.search) === '') return []
  const { isPublished } = accessParts(ctx, input.kind)
  const { rows } = await sql<FoundByName>`
    select uid, name::text as name, case when ${isPublished} then '' else 'draft' end as more
    from ${sql.table(input.kind)}
    where site_id = ${ctx.site.id} and deleted_at is null and ${isFoundBy(sql`search_key`, input.search)}
    order by name_key, id limit ${mostFound}`.execute(ctx.db)
  return rows
}

/** Finds a person who was chosen, by uid, for admins. Null if there is none. */
export async function findChosenPerson(
  ctx: Ctx,
  { userUid }: { userUid: string },
): Promise<{ uid: string; name: string } | null> {
  requireAdmin(ctx)
  const person = isUid(userUid) ? await findPerson(ctx, userUid) : undefined
  return person ? { uid: person.uid, name: person.name } : null
}

/** Finds an item that was chosen, by uid, for admins. Null if there is none. */
export async function findChosenItem(
  ctx: Ctx,
  { kind, itemUid }: { kind: ContentKind; itemUid: string },
): Promise<{ uid: string; name: string } | null> {
  requireAdmin(ctx)
  if (!isUid(itemUid)) return null
  const { rows } = await sql<{ uid: string; name: string }>`
    select uid, name::text as name from ${sql.table(kind)}
    where uid = ${itemUid} and site_id = ${ctx.site.id} and deleted_at is null`.execute(ctx.db)
  return rows[0] ?? null
}
