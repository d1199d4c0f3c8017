import { bestTag } from '~/lib/language.ts'
import { isActivity, isActor } from './identity.ts'
import type {
  Activity,
  ActivityDefinition,
  Actor,
  InteractionComponent,
  LanguageMap,
  Statement,
  Verb,
} from './types.ts'
import { componentLists, contextActivityKinds } from './types.ts'

/** The two formats besides `exact` (xAPI 1.0.3 communication 2.1.3). Pure. */

/** Keeps only what identifies agents, activities and verbs. */
export function toIds(statement: Statement): Statement {
  return mapNames(statement, {
    actor: bareActor,
    verb: ({ id }) => ({ id }),
    activity: ({ id }) => ({ id }),
  })
}

/** Shows activities with these definitions, and each text in the best matching language. */
export function toCanonical(
  statement: Statement,
  definitionOf: (activity: Activity) => ActivityDefinition | undefined,
  languages: string[],
): Statement {
  return mapNames(statement, {
    actor: (actor) => actor,
    verb: (verb) => ({ ...verb, ...(verb.display && { display: oneLanguage(verb.display, languages) }) }),
    activity: (activity) => {
      const definition = definitionOf(activity)
      return definition ? { ...activity, definition: inOneLanguage(definition, languages) } : activity
    },
  })
}

type Mapping = {
  actor: (actor: Actor) => Actor
  verb: (verb: Verb) => Verb
  activity: (activity: Activity) => Activity
}

function mapNames<T extends Pick<Statement, 'actor' | 'verb' | 'object' | 'context' | 'authority'>>(
  part: T,
  map: Mapping,
): T {
  const { authority, context } = part
  return {
    ...part,
    actor: map.actor(part.actor),
    verb: map.verb(part.verb),
    object: mapObject(part.object, map),
    ...(authority && { authority: map.actor(authority) }),
    ...(context && {
      context: {
        ...context,
        ...(context.instructor && { instructor: map.actor(context.instructor) }),
        ...(context.team && { team: map.actor(context.team) }),
        ...(context.contextAgents && {
          contextAgents: context.contextAgents.map((one) => ({ ...one, agent: map.actor(one.agent) })),
        }),
        ...(context.contextGroups && {
          contextGroups: context.contextGroups.map((one) => ({ ...one, group: map.actor(one.group) })),
        }),
        ...(context.contextActivities && {
          contextActivities: Object.fromEntries(
            contextActivityKinds.flatMap((kind) => {
              const list = context.contextActivities?.[kind]
              return list ? [[kind, list.map(map.activity)]] : []
            }),
          ),
        }),
      },
    }),
  }
}

function mapObject(object: Statement['object'], map: Mapping): Statement['object'] {
  if (isActivity(object)) return map.activity(object)
  if (isActor(object)) return map.actor(object)
  return object.objectType === 'SubStatement' ? mapNames(object, map) : object
}

/** Removes the name. An anonymous Group keeps its members, because nothing else identifies it. */
function bareActor(actor: Actor): Actor {
  const { name: _name, ...rest } = actor
  if (rest.objectType !== 'Group') return rest
  const { member, ...group } = rest
  const isIdentified = group.mbox ?? group.mbox_sha1sum ?? group.openid ?? group.account
  return isIdentified ? group : { ...group, member: member?.map((one) => bareActor(one) as typeof one) }
}

function inOneLanguage(definition: ActivityDefinition, languages: string[]): ActivityDefinition {
  return {
    ...definition,
    ...(definition.name && { name: oneLanguage(definition.name, languages) }),
    ...(definition.description && { description: oneLanguage(definition.description, languages) }),
    ...Object.fromEntries(
      componentLists.flatMap((list) => {
        const components = definition[list]
        return components ? [[list, components.map((one) => componentInOneLanguage(one, languages))]] : []
      }),
    ),
  }
}

function componentInOneLanguage(component: InteractionComponent, languages: string[]): InteractionComponent {
  const { description } = component
  return { ...component, ...(description && { description: oneLanguage(description, languages) }) }
}

/** Keeps the best matching language, or else the first one. */
function oneLanguage(map: LanguageMap, languages: string[]): LanguageMap {
  const tags = Object.keys(map)
  const tag = bestTag(tags, languages) ?? tags[0]
  return tag === undefined ? {} : { [tag]: map[tag] as string }
}
