/**
 * Our schema of a cmi5 course structure (cmi5, 13.1) as data, and its check. Pure.
 *
 * It describes the elements, their order, what is required, and the allowed values. Elements and attributes of other
 * namespaces are allowed everywhere and are removed before the check. Rules that concern more than one element (ids,
 * references, urls) and the value of masteryScore are checked in structure.ts.
 *
 * This is not an XML Schema: the validator of libxml2 reports all problems, and building the path of each takes time
 * proportional to the number of siblings, so that a hostile file of 5 MB could keep it busy for hours. This check takes
 * linear time and stops when it has found enough.
 */
import { quote } from './limits.ts'

export const courseStructureNamespace = 'https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd'

/** An element for the check: attributes without a namespace, trimmed values, no foreign elements. */
export type Element = {
  name: string
  line: number
  attributes: Map<string, string>
  children: Element[]
  /** Its own text, trimmed. */
  text: string
}

type AttributeRule = { required?: boolean; values?: readonly string[] }
/** One position in the order of an element's children: which elements may occur, and how many. */
type Slot = { elements: readonly string[]; least: 0 | 1; many?: boolean }
type Rule = { attributes: Record<string, AttributeRule>; content: Slot[] | 'text' | 'filled text' | 'nothing' }

export const moveOns = ['NotApplicable', 'Passed', 'Completed', 'CompletedAndPassed', 'CompletedOrPassed'] as const
export const launchMethods = ['AnyWindow', 'OwnWindow'] as const

const id = { id: { required: true } }
const one = (element: string): Slot => ({ elements: [element], least: 1 })
const maybe = (element: string): Slot => ({ elements: [element], least: 0 })
const some = (...elements: string[]): Slot => ({ elements, least: 1, many: true })
const titleAndDescription = [one('title'), one('description')]

/** `objective` inside a unit or block refers to an objective, and so has its own rule. */
const rules: Record<string, Rule> = {
  courseStructure: { attributes: {}, content: [one('course'), maybe('objectives'), some('au', 'block')] },
  course: { attributes: id, content: titleAndDescription },
  objectives: { attributes: {}, content: [some('objective')] },
  objective: { attributes: id, content: titleAndDescription },
  block: { attributes: id, content: [...titleAndDescription, maybe('objectives/reference'), some('au', 'block')] },
  au: {
    attributes: {
      ...id,
      moveOn: { values: moveOns },
      masteryScore: {},
      launchMethod: { values: launchMethods },
      activityType: {},
    },
    content: [
      ...titleAndDescription,
      maybe('objectives/reference'),
      one('url'),
      maybe('launchParameters'),
      maybe('entitlementKey'),
    ],
  },
  'objectives/reference': { attributes: {}, content: [some('objective/reference')] },
  'objective/reference': { attributes: { idref: { required: true } }, content: 'nothing' },
  title: { attributes: {}, content: [some('langstring')] },
  description: { attributes: {}, content: [some('langstring')] },
  langstring: { attributes: { lang: {} }, content: 'text' },
  url: { attributes: {}, content: 'filled text' },
  launchParameters: { attributes: {}, content: 'text' },
  entitlementKey: { attributes: {}, content: 'text' },
}

/** Returns at most `limit` problems, in the order of the file. The root is `courseStructure`. */
export function checkSchema(root: Element, limit: number): { line: number; problem: string }[] {
  const found: { line: number; problem: string }[] = []
  const waiting: { element: Element; rule: string }[] = [{ element: root, rule: 'courseStructure' }]
  for (let next = waiting.pop(); next && found.length < limit; next = waiting.pop()) {
    const { element } = next
    const report = (problem: string, line = element.line) => found.push({ line, problem })
    const rule = rules[next.rule]
    if (!rule) continue
    checkAttributes(element, rule.attributes, report)
    if (Array.isArray(rule.content)) {
      if (element.text !== '') report(`<${element.name}> has text outside of its elements.`)
      const known = matchChildren(element, rule.content, report)
      for (const child of known.reverse()) waiting.push(child)
    } else {
      checkText(element, rule.content, report)
    }
  }
  return found.sort((a, b) => a.line - b.line).slice(0, limit)
}

type Report = (problem: string, line?: number) => void

function checkAttributes(element: Element, attributes: Record<string, AttributeRule>, report: Report): void {
  for (const [name, rule] of Object.entries(attributes)) {
    const value = element.attributes.get(name)
    if (value === undefined) {
      if (rule.required) report(`<${element.name}> lacks the attribute ${name}.`)
    } else if (value === '') {
      report(`The attribute ${name} of <${element.name}> must not be empty.`)
    } else if (rule.values && !rule.values.includes(value)) {
      report(`The ${name} ${quote(value)} of <${element.name}> is not one of ${rule.values.join(', ')}.`)
    } else if (name === 'lang' && !/^[a-z]{1,8}(-[a-z0-9]{1,8})*$/i.test(value)) {
      report(`The lang ${quote(value)} of <${element.name}> is not a language tag such as en or pt-BR.`)
    }
  }
  for (const name of element.attributes.keys()) {
    if (Object.hasOwn(attributes, name)) continue
    report(`<${element.name}> has the attribute ${quote(name)}, which is not allowed there.`)
    return
  }
}

/** Returns the allowed children with their rules. Reports only the first child that is not allowed. */
function matchChildren(element: Element, slots: Slot[], report: Report): { element: Element; rule: string }[] {
  const known: { element: Element; rule: string }[] = []
  let at = 0
  let taken = 0
  for (const child of element.children) {
    const before = { at, taken }
    let rule = ruleIn(slots[at], taken, child)
    // An optional position may be skipped, and a position may be left once it has enough elements.
    while (!rule && at < slots.length && taken >= (slots[at]?.least ?? 0)) {
      at++
      taken = 0
      rule = ruleIn(slots[at], taken, child)
    }
    if (!rule) {
      const wanted = expected(slots, before.at, before.taken)
      report(`<${child.name}> is not allowed here${wanted ? `; expected ${wanted}` : ''}.`, child.line)
      return known
    }
    taken++
    known.push({ element: child, rule })
  }
  const missing = slots.slice(at).find((slot, i) => (i === 0 ? taken : 0) < slot.least)
  if (missing) report(`<${element.name}> lacks ${expected([missing], 0, 0)}.`)
  return known
}

function ruleIn(slot: Slot | undefined, taken: number, child: Element): string | undefined {
  if (!slot || (taken > 0 && !slot.many)) return undefined
  return slot.elements.find((name) => tagOf(name) === child.name)
}

function expected(slots: Slot[], at: number, taken: number): string {
  const names: string[] = []
  for (const [i, slot] of slots.slice(at).entries()) {
    if (i > 0 || taken === 0 || slot.many) names.push(...slot.elements)
    if ((i === 0 ? taken : 0) < slot.least) break
  }
  return names.map((name) => `<${tagOf(name)}>`).join(' or ')
}

function tagOf(name: string): string {
  return name.replace('/reference', '')
}

function checkText(element: Element, content: 'text' | 'filled text' | 'nothing', report: Report): void {
  const [child] = element.children
  if (child) report(`<${child.name}> is not allowed here: <${element.name}> cannot contain elements.`, child.line)
  if (content === 'nothing' && element.text !== '') report(`<${element.name}> must have no text.`)
  if (content === 'filled text' && element.text === '') report(`<${element.name}> must not be empty.`)
}
