/** A cmi5 course structure as data, and the rules that go beyond the schema. Pure: no files, no database. */
import type { LangText } from '~/lib/language.ts'
import { activityIri, activityTypes, courseIri } from './iris.ts'
import { packageLimits, quote } from './limits.ts'
import type { launchMethods, moveOns } from './schema.ts'
import { checkUrl, otherProgramOf, type PackageFiles } from './urls.ts'

export type MoveOn = (typeof moveOns)[number]
export type LaunchMethod = (typeof launchMethods)[number]

type Described = { publisherId: string; title: LangText; description: LangText; line: number }

export type Objective = Described

/** `parent` is an index into `blocks`; lists are in document order. */
export type Block = Described & { parent: number | null; objectives: string[] }

export type Unit = Described & {
  block: number | null
  objectives: string[]
  url: string
  urlLine: number
  launchMethod: LaunchMethod
  moveOn: MoveOn
  /** As written: `0.50000` equals `0.5` and is allowed, but `0.12345` is refused. */
  masteryScore: string | null
  launchParameters: string | null
  entitlementKey: string | null
  activityType: string | null
}

export type CourseStructure = { course: Described; objectives: Objective[]; blocks: Block[]; units: Unit[] }

type Kind = 'course' | 'objective' | 'block' | 'unit'
type Report = (line: number, problem: string) => void

/** Returns all problems, in the order of the file. `files` is null for a bare XML file. */
export function checkStructure(structure: CourseStructure, files: PackageFiles | null, fileName: string): string[] {
  const found: { line: number; text: string }[] = []
  const report: Report = (line, problem) => found.push({ line, text: `${fileName}, line ${line}: ${problem}` })
  checkIds(structure, report)
  checkTexts(structure, report)
  checkObjectiveReferences(structure, report)
  if (structure.units.length > packageLimits.units) {
    report(1, `There are ${structure.units.length} units (au). At most ${packageLimits.units} can be imported.`)
  }
  for (const unit of structure.units) checkUnit(unit, files, report)
  return found.sort((a, b) => a.line - b.line).map((problem) => problem.text)
}

/** Returns notices for the author of a good structure: units that cannot be opened here. */
export function noticesOf(structure: CourseStructure, fileName: string): string[] {
  return structure.units
    .filter((unit) => otherProgramOf(unit.url) !== null)
    .map(
      (unit) =>
        `${fileName}, line ${unit.urlLine}: The url ${quote(unit.url)} of the unit opens in another program. The unit is kept, but it cannot be opened here.`,
    )
}

/** An activity that the package declares, with what xAPI calls its definition. */
type DeclaredActivity = { iri: string; definition: { name: LangText; description: LangText; type?: string } }

/** Returns everything that a package names: under the publisher's ids and, for units and blocks, under ours. */
export function activitiesOf(
  structure: CourseStructure,
  ours: { base: string; moduleUid: string },
): DeclaredActivity[] {
  const definitionOf = ({ title, description }: Described, type?: string | null) => ({
    name: title,
    description,
    ...(type && { type }),
  })
  const iriOf = (publisherId: string) => activityIri(ours.base, ours.moduleUid, publisherId)
  const both = (one: Described, type?: string | null) => [
    { iri: one.publisherId, definition: definitionOf(one, type) },
    { iri: iriOf(one.publisherId), definition: definitionOf(one, type) },
  ]
  const course = definitionOf(structure.course, activityTypes.course)
  return [
    { iri: structure.course.publisherId, definition: course },
    { iri: courseIri(ours.base, ours.moduleUid), definition: course },
    ...structure.objectives.map((one) => ({ iri: one.publisherId, definition: definitionOf(one) })),
    ...structure.blocks.flatMap((block) => both(block, activityTypes.block)),
    ...structure.units.flatMap((unit) => both(unit, unit.activityType)),
  ]
}

function* everything(structure: CourseStructure): Generator<[Kind, Described]> {
  yield ['course', structure.course]
  for (const objective of structure.objectives) yield ['objective', objective]
  for (const block of structure.blocks) yield ['block', block]
  for (const unit of structure.units) yield ['unit', unit]
}

function checkIds(structure: CourseStructure, report: Report): void {
  const seen = new Map<string, { kind: Kind; line: number }>()
  for (const [kind, { publisherId: id, line }] of everything(structure)) {
    if (!isIri(id)) {
      report(
        line,
        `The id ${quote(id)} of the ${kind} is not an absolute IRI such as https://example.org/${kind}/1 (cmi5, 3.0).`,
      )
    } else if (Buffer.byteLength(id) > packageLimits.idLength) {
      report(line, `The id of the ${kind} is longer than ${packageLimits.idLength} bytes.`)
    }
    const first = seen.get(id)
    if (first) {
      const other = first.kind === kind ? `another ${kind}` : `the ${first.kind}`
      report(
        line,
        `The id ${quote(id)} of the ${kind} is already used by ${other} on line ${first.line}. Each id may occur only once.`,
      )
    } else {
      seen.set(id, { kind, line })
    }
  }
}

/** Tells whether the value has a scheme and only characters that an IRI allows. */
function isIri(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`\p{Cc}]+$/iu.test(value)
}

function checkTexts(structure: CourseStructure, report: Report): void {
  for (const [kind, { title, description, line }] of everything(structure)) {
    checkLength(title, packageLimits.titleLength, `title of the ${kind}`, line, report)
    checkLength(description, packageLimits.descriptionLength, `description of the ${kind}`, line, report)
  }
}

function checkLength(texts: LangText, limit: number, what: string, line: number, report: Report): void {
  if (Object.values(texts).some((text) => text.length > limit))
    report(line, `The ${what} is longer than ${limit} characters.`)
}

function checkObjectiveReferences(structure: CourseStructure, report: Report): void {
  const known = new Set(structure.objectives.map((objective) => objective.publisherId))
  const check = (kind: Kind, line: number, references: string[]) => {
    for (const reference of references.filter((id) => !known.has(id))) {
      report(
        line,
        `The ${kind} refers to the objective ${quote(reference)}, which the course structure does not declare.`,
      )
    }
  }
  for (const block of structure.blocks) check('block', block.line, block.objectives)
  for (const unit of structure.units) check('unit', unit.line, unit.objectives)
}

function checkUnit(unit: Unit, files: PackageFiles | null, report: Report): void {
  const problem = checkUrl(unit.url, files)
  if (problem) report(unit.urlLine, `The url ${quote(unit.url)} of the unit ${problem}`)
  if (unit.masteryScore !== null && !isMasteryScore(unit.masteryScore)) {
    report(
      unit.line,
      `The masteryScore ${quote(unit.masteryScore)} of the unit is not a number from 0 to 1 with at most four decimals.`,
    )
  }
  const tooLong = (value: string | null, limit: number, what: string) => {
    if (value !== null && value.length > limit)
      report(unit.line, `The ${what} of the unit is longer than ${limit} characters.`)
  }
  tooLong(unit.launchParameters, packageLimits.launchParametersLength, 'launchParameters')
  tooLong(unit.entitlementKey, packageLimits.entitlementKeyLength, 'entitlementKey')
  tooLong(unit.activityType, packageLimits.activityTypeLength, 'activityType')
}

function isMasteryScore(value: string): boolean {
  return /^\+?(0*1(\.0*)?|0*\.[0-9]{1,4}0*|0+(\.[0-9]{0,4}0*)?)$/.test(value)
}
