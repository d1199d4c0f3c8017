/** The groups of a site with their rights, and the explanation of what somebody can see. */
import type { AccessAnswer, AccessQuestion, GroupsView } from '~/components/console/groups/view.ts'
import { groupsFor } from '~/components/console/sections.ts'
import { formatDay } from '~/lib/dates.ts'
import { longestSearch } from '~/lib/search-query.ts'
import type { Ctx } from '~/services/context.ts'
import {
  type ExplainedAccess,
  explainAccess,
  explainedKinds,
  findChosenItem,
  findChosenPerson,
  findItemsByName,
  findPeopleByName,
} from '~/services/read/explain-access.server.ts'
import {
  countGroups,
  type GroupWithRights,
  groupsWithRights,
  listGroupRights,
  type RightArea,
  rightAreas,
} from '~/services/read/group-rights.server.ts'
import { listFeatureFlags } from '~/services/sites/sites.server.ts'

const labels: Record<GroupWithRights, { label: string; note: string }> = {
  learners: { label: 'Learners', note: 'take courses' },
  instructors: { label: 'Instructors', note: 'a label that adds no rights of its own' },
  authors: { label: 'Authors', note: 'create and publish content' },
  admins: { label: 'Admins', note: 'run the site' },
}

const areaTitles: Record<RightArea, string> = {
  learning: 'Learning',
  content: 'Content',
  pages: 'Pages, tags and glossary',
  people: 'People',
  site: 'The site',
}

/** What each group may do, and which sections of the console its members see. */
export async function getGroupsPage(ctx: Ctx): Promise<GroupsView> {
  const rights = listGroupRights(ctx)
  const [counts, flags] = await Promise.all([countGroups(ctx), listFeatureFlags(ctx)])
  const sectionsOf = (group: string) => groupsFor({ groups: [group], flags }).flatMap(({ sections }) => sections)
  // Whoever may not open the console sees none of its sections, also those that are for everybody who may.
  const staff = groupsWithRights.filter((group) =>
    rights.some(({ id, groups }) => id === 'editContent' && groups.includes(group)),
  )
  const every = groupsFor({ groups: [...groupsWithRights], flags }).flatMap(({ sections }) => sections)
  return {
    groups: groupsWithRights.map((id) => ({ id, ...labels[id], people: counts[id] })),
    areas: [
      ...rightAreas.map((area) => ({
        id: area,
        title: areaTitles[area],
        rights: rights.filter((right) => right.area === area).map(({ id, what, groups }) => ({ id, what, groups })),
      })),
      {
        id: 'console',
        title: 'Sections of the console',
        rights: every.map(({ id, label }) => ({
          id: `section-${id}`,
          what: label,
          groups: staff.filter((group) => sectionsOf(group).some((section) => section.id === id)),
        })),
      },
    ],
  }
}

const path = '/dashboard/groups/why/'
const kindLabels = { modules: 'Module', courses: 'Course', lectures: 'Lecture', videos: 'Video' } as const
type Kind = keyof typeof kindLabels

/** The question as the address has it, what its searches find, and the answer once person and item are chosen. */
export async function getAccessQuestion(ctx: Ctx, params: URLSearchParams): Promise<AccessQuestion> {
  const get = (name: string) => [...(params.get(name) ?? '').trim()].slice(0, longestSearch).join('')
  const kind: Kind = explainedKinds.find((one) => one === params.get('kind')) ?? 'modules'
  const [personUid, itemUid, who, what] = [get('person'), get('item'), get('who'), get('what')]
  const to = (chosen: Record<string, string>) => {
    const fields = Object.entries({ person: personUid, kind, item: itemUid, ...chosen }).filter(
      ([, value]) => value !== '',
    )
    return `${path}?${new URLSearchParams(fields)}`
  }
  const [people, items, explained] = await Promise.all([
    findPeopleByName(ctx, { search: who }),
    findItemsByName(ctx, { kind, search: what }),
    personUid !== '' && itemUid !== '' ? explainAccess(ctx, { userUid: personUid, kind, itemUid }) : null,
  ])
  return {
    kinds: explainedKinds.map((value) => ({ value, label: kindLabels[value] })),
    ...{ kind, who, what },
    person: explained?.person ?? (await findChosenPerson(ctx, { userUid: personUid })),
    people: people.map(({ uid, name, more }) => ({ name, more, to: to({ person: uid }) })),
    item: explained?.item ?? (await findChosenItem(ctx, { kind, itemUid })),
    items: items.map(({ uid, name, more }) => ({ name, more, to: to({ item: uid }) })),
    otherPerson: to({ person: '' }),
    otherItem: to({ item: '' }),
    answer: explained && answerOf(ctx, explained),
  }
}

const nouns = { modules: 'module', courses: 'course', lectures: 'lecture', videos: 'video' } as const

function answerOf(ctx: Ctx, explained: ExplainedAccess): AccessAnswer {
  const { person, item, verdict } = explained
  const verdicts = {
    open: `${person.name} can open “${item.name}”.`,
    listed: `${person.name} sees “${item.name}” in lists, but cannot open it yet.`,
    kept: `${person.name} cannot open “${item.name}”, and sees only its name and results among what they started.`,
    hidden: `${person.name} cannot see “${item.name}”.`,
  }
  return { isPositive: verdict === 'open', verdict: verdicts[verdict], reasons: reasonsOf(ctx, explained) }
}

function reasonsOf(ctx: Ctx, { person, item, facts }: ExplainedAccess): AccessAnswer['reasons'] {
  const noun = nouns[item.kind]
  const accounts = {
    open: { isMet: true, text: 'The account is open.' },
    invited: { isMet: false, text: 'The invitation has not been accepted yet.' },
    disabled: { isMet: false, text: 'The account is disabled.' },
  }
  const feature = {
    isMet: facts.isFeatureOn,
    text: `${kindLabels[item.kind]}s are switched ${facts.isFeatureOn ? 'on' : 'off'} in the settings of the site.`,
  }
  const reasons: AccessAnswer['reasons'] = [accounts[person.account]]
  if (!facts.isFeatureOn || item.kind === 'lectures') reasons.push(feature)
  if (person.isStaff) {
    return [
      ...reasons,
      { isMet: true, text: 'Admins and authors see all content, including drafts, without an access plan.' },
    ]
  }
  reasons.push(publishedReason(noun, facts), ...planReasons(ctx, noun, facts))
  if (facts.isAssigned) reasons.push({ isMet: null, text: 'It has been assigned. An assignment alone opens nothing.' })
  if (facts.isStarted) reasons.push({ isMet: null, text: `This person has started the ${noun}.` })
  return reasons
}

function publishedReason(noun: string, { isPublished, isComingSoon }: ExplainedAccess['facts']) {
  if (isComingSoon) return { isMet: false, text: `The ${noun} is marked Coming Soon: it is listed, but not open yet.` }
  return { isMet: isPublished, text: `The ${noun} is ${isPublished ? 'published' : 'not published'}.` }
}

function planReasons(ctx: Ctx, noun: string, facts: ExplainedAccess['facts']): AccessAnswer['reasons'] {
  const { plan, plansOfItem, isInPlan } = facts
  const including =
    plansOfItem.length === 0 ? `No plan includes the ${noun}.` : `Plans with this ${noun}: ${plansOfItem.join(', ')}.`
  if (!plan) return [{ isMet: false, text: `This person has no access plan. ${including}` }]
  const day = (date: Date) => formatDay(date, ctx.site.timeZone)
  const { name, from, until, isValid } = plan
  const when =
    from && from > ctx.now
      ? `begins on ${day(from)}`
      : until === null
        ? 'does not end'
        : `${isValid ? 'ends' : 'ended'} on ${day(until)}`
  return [
    { isMet: isValid, text: `The access plan is “${name}”; access ${when}.` },
    {
      isMet: isInPlan,
      text: isInPlan ? `The plan includes the ${noun}.` : `The plan does not include it. ${including}`,
    },
  ]
}
