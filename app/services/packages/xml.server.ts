/** From the bytes of cmi5.xml to a course structure. Hostile until proven otherwise: no DTD, no entities, bounded depth and size. */
import type { XmlDocument, XmlElement } from 'libxml2-wasm'
import { normalise } from '~/lib/text.ts'
import { courseStructureNamespace, courseStructureSchema } from './course-structure-schema.ts'
import { PackageRefused, quote } from './limits.ts'
import type { Block, CourseStructure, LangText, LaunchMethod, MoveOn, Objective, Unit } from './structure.ts'

/** `fileName` stands at the head of each problem. */
export async function readCourseStructure(bytes: Buffer, fileName: string): Promise<CourseStructure> {
  const text = decode(bytes, fileName)
  refuseDoctype(text, fileName)
  // Loaded on first use: the web process never needs it, and it takes 20 MB.
  const {
    ParseOption,
    XmlDocument: Document,
    XmlParseError,
    XmlValidateError,
    XsdValidator,
  } = await import('libxml2-wasm')
  // HUGE raises the depth from 256 to 2,048 elements, so that nested blocks have no limit that anybody could meet. What it
  // stops guarding, entities, cannot occur without a DTD.
  const option =
    ParseOption.XML_PARSE_HUGE |
    ParseOption.XML_PARSE_NO_XXE |
    ParseOption.XML_PARSE_NONET |
    ParseOption.XML_PARSE_BIG_LINES
  const schema = Document.fromString(courseStructureSchema)
  const validator = XsdValidator.fromDoc(schema)
  let document: XmlDocument | undefined
  try {
    document = Document.fromString(text, { option })
    if (document.dtd) throw new PackageRefused(doctypeProblem(fileName))
    refuseOtherRoots(document.root, fileName)
    validator.validate(document)
    return structureOf(document.root)
  } catch (error) {
    if (error instanceof XmlParseError) throw new PackageRefused(parseProblems(error.details, fileName))
    if (error instanceof XmlValidateError) throw new PackageRefused(schemaProblems(error.details, fileName))
    throw error
  } finally {
    document?.dispose()
    validator.dispose()
    schema.dispose()
  }
}

/** UTF-8, UTF-16, or what the XML declaration names. */
function decode(bytes: Buffer, fileName: string): string {
  const encoding = encodingOf(bytes)
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (error) {
    const problem =
      error instanceof RangeError
        ? `The encoding ${quote(encoding)} is not known`
        : `The file is not valid ${encoding.toUpperCase()}`
    throw new PackageRefused(`${fileName}, line 1: ${problem}. Save it as UTF-8.`)
  }
  // The declaration speaks of an encoding that the text no longer has. Its line ends stay, for the line numbers.
  return text.replace(/^<\?xml\s[^>]*\?>/, (declaration) => declaration.replace(/[^\n]+/g, ''))
}

function encodingOf(bytes: Buffer): string {
  const start = bytes.subarray(0, 2).toString('hex')
  if (start === 'fffe' || start === '3c00') return 'utf-16le'
  if (start === 'feff' || start === '003c') return 'utf-16be'
  const head = bytes.subarray(0, 300).toString('latin1')
  const declared = /^(?:\xef\xbb\xbf)?<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/.exec(head)?.[1]
  // Who can read the word UTF-16 in single bytes has no UTF-16 before him.
  return declared && !/^utf-?16/i.test(declared) ? declared.toLowerCase() : 'utf-8'
}

/** Looks for a DTD where alone one can stand, before the root element, so that nothing in it is ever read, let alone expanded. */
function refuseDoctype(text: string, fileName: string): void {
  let at = 0
  for (;;) {
    while (/\s/.test(text.charAt(at))) at++
    const [open, close] = text.startsWith('<!--', at) ? ['<!--', '-->'] : ['<?', '?>']
    if (!text.startsWith(open, at)) break
    const end = text.indexOf(close, at + open.length)
    if (end < 0) break
    at = end + close.length
  }
  if (text.startsWith('<!DOCTYPE', at)) throw new PackageRefused(doctypeProblem(fileName))
}

function doctypeProblem(fileName: string): string {
  return `${fileName}: The file has a document type definition (<!DOCTYPE …>). Course structures have none, and it is not read for safety. Remove it.`
}

function refuseOtherRoots(root: XmlElement, fileName: string): void {
  const isCourseStructure = root.name === 'courseStructure'
  if (isCourseStructure && root.namespaceUri === courseStructureNamespace) return
  const found = isCourseStructure
    ? `courseStructure is in the namespace ${quote(root.namespaceUri)}`
    : `the first element is ${quote(root.name)}`
  throw new PackageRefused(
    `${fileName}, line ${root.line}: This is no cmi5 course structure: ${found}. Expected is courseStructure in the namespace ${courseStructureNamespace}.`,
  )
}

type Detail = { message: string; line: number }

function parseProblems(details: Detail[], fileName: string): string[] {
  if (details.length === 0) return [`${fileName}: The file is empty or no XML.`]
  return details.map((detail) => {
    const problem = /^Excessive depth/.test(detail.message)
      ? 'Elements are nested too deeply.'
      : `The XML is not well-formed: ${detail.message.trim()}.`
    return `${fileName}, line ${detail.line}: ${problem}`
  })
}

function schemaProblems(details: Detail[], fileName: string): string[] {
  return details
    .filter((detail) => !repeatsFacet.test(detail.message))
    .map((detail) => `${fileName}, line ${detail.line}: ${inPlainWords(detail.message)}`)
}

/** A value that breaks a type of ours is reported twice: by the facet, in clear words, and by the type, whose name tells nothing. */
const repeatsFacet = /is not a valid value of the (atomic|local atomic) type( '\{|\.)/

/** The validator's sentence without the namespace before each name and without what is allowed everywhere. */
function inPlainWords(message: string): string {
  return message
    .replaceAll(`{${courseStructureNamespace}}`, '')
    .replace(/##other\*?, /g, '')
    .replace(/, ##other\*?/g, '')
    .replace(/Expected is (one of )?\( ([^)]*) \)/, (_, many, names) =>
      many && names.includes(',') ? `Expected is one of: ${names}` : `Expected is: ${names}`,
    )
    .replace(/\[facet '[a-zA-Z]+'\] /, '')
    .replace(/The value has a length of '0';.*/, 'It must not be empty.')
    .replace(
      /'([^']*)' is not a valid value of the atomic type 'xs:language'/,
      "'$1' is not a language tag such as en or pt-BR",
    )
    .trim()
}

function structureOf(root: XmlElement): CourseStructure {
  const structure: CourseStructure = {
    course: { publisherId: '', title: {}, description: {}, line: 1 },
    objectives: [],
    blocks: [],
    units: [],
  }
  for (const child of childrenOf(root)) {
    if (child.name === 'course') structure.course = describedOf(child)
    else if (child.name === 'objectives') structure.objectives = childrenOf(child).map(describedOf)
  }
  // A stack instead of recursion, since depth is the author's choice. Children go on in reverse, so that order is kept.
  const waiting = childrenOf(root)
    .reverse()
    .map((element) => ({ element, parent: null as number | null }))
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next.element.name === 'au') structure.units.push(unitOf(next.element, next.parent))
    if (next.element.name !== 'block') continue
    const parent = structure.blocks.push(blockOf(next.element, next.parent)) - 1
    waiting.push(
      ...childrenOf(next.element)
        .reverse()
        .map((element) => ({ element, parent })),
    )
  }
  return structure
}

function describedOf(element: XmlElement): Objective {
  return {
    publisherId: attributeOf(element, 'id') ?? '',
    title: textsOf(element, 'title'),
    description: textsOf(element, 'description'),
    line: element.line,
  }
}

function blockOf(element: XmlElement, parent: number | null): Block {
  return { ...describedOf(element), parent, objectives: referencesOf(element) }
}

function unitOf(element: XmlElement, block: number | null): Unit {
  return {
    ...describedOf(element),
    block,
    objectives: referencesOf(element),
    url: textOf(element, 'url') ?? '',
    urlLine: childOf(element, 'url')?.line ?? element.line,
    launchMethod: (attributeOf(element, 'launchMethod') ?? 'AnyWindow') as LaunchMethod,
    moveOn: (attributeOf(element, 'moveOn') ?? 'NotApplicable') as MoveOn,
    masteryScore: attributeOf(element, 'masteryScore'),
    launchParameters: textOf(element, 'launchParameters') || null,
    entitlementKey: textOf(element, 'entitlementKey') || null,
    activityType: attributeOf(element, 'activityType'),
  }
}

function referencesOf(element: XmlElement): string[] {
  const list = childOf(element, 'objectives')
  if (!list) return []
  return [...new Set(childrenOf(list).map((objective) => attributeOf(objective, 'idref') ?? ''))]
}

function textsOf(element: XmlElement, name: string): LangText {
  const texts: LangText = {}
  const list = childOf(element, name)
  for (const langstring of list ? childrenOf(list) : []) {
    const language = attributeOf(langstring, 'lang') ?? 'und'
    if (!Object.hasOwn(texts, language)) texts[language] = normalise(langstring.content.trim())
  }
  return texts
}

function attributeOf(element: XmlElement, name: string): string | null {
  return element.attr(name)?.value.trim() ?? null
}

function textOf(element: XmlElement, name: string): string | null {
  return childOf(element, name)?.content.trim() ?? null
}

function childOf(element: XmlElement, name: string): XmlElement | undefined {
  return childrenOf(element).find((child) => child.name === name)
}

/** The child elements of the cmi5 namespace; comments, text and foreign elements are passed over. */
function childrenOf(element: XmlElement): XmlElement[] {
  const children: XmlElement[] = []
  for (let node = element.firstChild; node; node = node.next) {
    const child = node as XmlElement
    if (typeof child.attr === 'function' && child.namespaceUri === courseStructureNamespace) children.push(child)
  }
  return children
}
