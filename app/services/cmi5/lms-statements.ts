import { randomUUID } from 'node:crypto'
import { activityTypes } from '../packages/iris.ts'
import { type Agent, formatDuration, type LanguageMap, type Statement } from '../xapi/xapi.server.ts'
import type { LaunchData } from './launch-data.ts'
import { categories, contextExtensions, resultExtensions, type VerbName, verbs } from './vocabulary.ts'

/**
 * Builds the statements that the LMS itself issues (cmi5 9.3.1, 9.3.6, 9.3.7, 9.3.9). Pure except for the random ids.
 */
type Subject = { iri: string; publisherId: string; title: LanguageMap; description: LanguageMap }

type Occasion = { actor: Agent; registrationUid: string; sessionUid: string; at: Date }

export function launchedStatement(
  occasion: Occasion,
  unit: Subject & { activityType: string | null },
  launch: { launchUrl: string; launchData: LaunchData },
): Statement {
  const { launchMode, moveOn, masteryScore, launchParameters } = launch.launchData
  return {
    ...base(occasion, 'launched', unit, unit.activityType),
    context: contextOf(occasion, unit, {
      [contextExtensions.launchMode]: launchMode,
      [contextExtensions.launchUrl]: launch.launchUrl,
      [contextExtensions.moveOn]: moveOn,
      ...(masteryScore !== undefined && { [contextExtensions.masteryScore]: masteryScore }),
      ...(launchParameters !== undefined && { [contextExtensions.launchParameters]: launchParameters }),
    }),
  }
}

export function satisfiedStatement(occasion: Occasion, what: 'block' | 'course', subject: Subject): Statement {
  return {
    ...base(occasion, 'satisfied', subject, activityTypes[what]),
    context: contextOf(occasion, subject),
  }
}

/** The duration runs from `launched` to the last statement of the session (cmi5 9.5.4.2). */
export function abandonedStatement(
  occasion: Occasion,
  unit: { iri: string; publisherId: string },
  seconds: number,
): Statement {
  return {
    ...base(occasion, 'abandoned', unit, null),
    result: { duration: formatDuration(seconds) },
    context: contextOf(occasion, unit),
  }
}

/** A waived unit has both success and completion (cmi5 9.3.7, 9.5.2, 9.5.3). */
export function waivedStatement(
  occasion: Occasion,
  unit: Subject & { activityType: string | null },
  reason: string,
): Statement {
  const context = contextOf(occasion, unit)
  const category = [...context.contextActivities.category, { id: categories.moveOn }]
  return {
    ...base(occasion, 'waived', unit, unit.activityType),
    result: { success: true, completion: true, extensions: { [resultExtensions.reason]: reason } },
    context: { ...context, contextActivities: { ...context.contextActivities, category } },
  }
}

function base(
  { actor, at }: Occasion,
  verb: VerbName,
  subject: { iri: string; title?: LanguageMap; description?: LanguageMap },
  type: string | null,
): Statement {
  const definition = {
    ...(subject.title && { name: subject.title }),
    ...(subject.description && { description: subject.description }),
    ...(type && { type }),
  }
  return {
    id: randomUUID(),
    actor,
    verb: { id: verbs[verb], display: { en: verb } },
    object: { id: subject.iri, ...(Object.keys(definition).length > 0 && { definition }) },
    timestamp: at.toISOString(),
  }
}

function contextOf(
  { registrationUid, sessionUid }: Occasion,
  subject: { publisherId: string },
  extensions: Record<string, unknown> = {},
) {
  return {
    registration: registrationUid,
    contextActivities: { category: [{ id: categories.cmi5 }], grouping: [{ id: subject.publisherId }] },
    extensions: { [contextExtensions.sessionId]: sessionUid, ...extensions },
  }
}
