/** Turns the elements of a valid file into the course structure. Pure. */
import type { LangText } from '~/lib/language.ts'
import { tidyLine, tidyText } from '~/lib/text.ts'
import type { Element } from './schema.ts'
import type { Block, CourseStructure, LaunchMethod, MoveOn, Objective, Unit } from './structure.ts'

export function structureOf(root: Element): CourseStructure {
  const structure: CourseStructure = {
    course: describedOf(childOf(root, 'course') ?? root),
    objectives: (childOf(root, 'objectives')?.children ?? []).map(describedOf),
    blocks: [],
    units: [],
  }
  // Uses a stack instead of recursion, because authors choose the depth. Children are pushed in reverse to keep their
  // order.
  const waiting = inReverse(root, null)
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next.element.name === 'au') structure.units.push(unitOf(next.element, next.parent))
    if (next.element.name !== 'block') continue
    const parent = structure.blocks.push(blockOf(next.element, next.parent)) - 1
    for (const child of inReverse(next.element, parent)) waiting.push(child)
  }
  return structure
}

function inReverse(element: Element, parent: number | null): { element: Element; parent: number | null }[] {
  return element.children.map((child) => ({ element: child, parent })).reverse()
}

function describedOf(element: Element): Objective {
  return {
    publisherId: element.attributes.get('id') ?? '',
    title: textsOf(element, 'title', tidyLine),
    description: textsOf(element, 'description', tidyText),
    line: element.line,
  }
}

function blockOf(element: Element, parent: number | null): Block {
  return { ...describedOf(element), parent, objectives: referencesOf(element) }
}

function unitOf(element: Element, block: number | null): Unit {
  const url = childOf(element, 'url')
  return {
    ...describedOf(element),
    block,
    objectives: referencesOf(element),
    url: url?.text ?? '',
    urlLine: url?.line ?? element.line,
    launchMethod: (element.attributes.get('launchMethod') ?? 'AnyWindow') as LaunchMethod,
    moveOn: (element.attributes.get('moveOn') ?? 'NotApplicable') as MoveOn,
    masteryScore: element.attributes.get('masteryScore') ?? null,
    launchParameters: childOf(element, 'launchParameters')?.text || null,
    entitlementKey: childOf(element, 'entitlementKey')?.text || null,
    activityType: element.attributes.get('activityType') ?? null,
  }
}

function referencesOf(element: Element): string[] {
  const references = childOf(element, 'objectives')?.children ?? []
  return [...new Set(references.map((objective) => objective.attributes.get('idref') ?? ''))]
}

/** Returns the first text of each language, tidied like what people type. */
function textsOf(element: Element, name: string, tidy: (text: string) => string): LangText {
  const texts: LangText = {}
  for (const langstring of childOf(element, name)?.children ?? []) {
    const language = langstring.attributes.get('lang') ?? 'und'
    if (!Object.hasOwn(texts, language)) texts[language] = tidy(langstring.text)
  }
  return texts
}

function childOf(element: Element, name: string): Element | undefined {
  return element.children.find((child) => child.name === name)
}
