/**
 * Turns the bytes of cmi5.xml into a course structure. The file may be hostile: no DTD, no entities, limited depth and
 * size.
 */
import type { XmlDocument, XmlElement, XmlNode } from 'libxml2-wasm'
import { PackageRefused, packageLimits, quote } from './limits.ts'
import { checkSchema, courseStructureNamespace, type Element } from './schema.ts'
import type { CourseStructure } from './structure.ts'
import { structureOf } from './structure-of.ts'

type Library = typeof import('libxml2-wasm')

/** Reads a course structure. Each problem begins with `fileName`. */
export async function readCourseStructure(bytes: Buffer, fileName: string): Promise<CourseStructure> {
  const text = decode(bytes, fileName)
  refuseDoctype(text, fileName)
  // Loaded on first use, because it takes 20 MB and the web process never needs it.
  const root = parse(await import('libxml2-wasm'), text, fileName)
  const problems = checkSchema(root, packageLimits.problems)
  if (problems.length > 0) {
    throw new PackageRefused(problems.map(({ line, problem }) => `${fileName}, line ${line}: ${problem}`))
  }
  return structureOf(root)
}

/** Decodes UTF-8, UTF-16, or the encoding of the XML declaration. */
function decode(bytes: Buffer, fileName: string): string {
  const encoding = encodingOf(bytes)
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (error) {
    const problem =
      error instanceof RangeError
        ? `The encoding ${quote(encoding)} is unknown`
        : `The file is not valid ${encoding.toUpperCase()}`
    throw new PackageRefused(`${fileName}, line 1: ${problem}. Save it as UTF-8.`)
  }
  // Removes the declaration, whose encoding no longer applies. Keeps its line breaks, so that line numbers stay right.
  return text.replace(/^<\?xml\s[^>]*\?>/, (declaration) => declaration.replace(/[^\n]+/g, ''))
}

function encodingOf(bytes: Buffer): string {
  const start = bytes.subarray(0, 2).toString('hex')
  if (start === 'fffe' || start === '3c00') return 'utf-16le'
  if (start === 'feff' || start === '003c') return 'utf-16be'
  const head = bytes.subarray(0, 300).toString('latin1')
  const declared = /^(?:\xef\xbb\xbf)?<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/.exec(head)?.[1]
  // A file in which "UTF-16" can be read byte by byte is not UTF-16.
  return declared && !/^utf-?16/i.test(declared) ? declared.toLowerCase() : 'utf-8'
}

/**
 * Refuses a DTD. It looks only before the root element, the only place where one is allowed, so nothing in a DTD is
 * ever read or expanded.
 */
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
  return `${fileName}: The file has a document type definition (<!DOCTYPE …>). Course structures do not need one, and it is not read for safety. Remove it.`
}

function parse(library: Library, text: string, fileName: string): Element {
  const { ParseOption } = library
  // HUGE raises the maximum depth from 256 to 2,048 elements, more than nested blocks ever need. It removes limits on
  // entities, which cannot occur without a DTD.
  const option =
    ParseOption.XML_PARSE_HUGE |
    ParseOption.XML_PARSE_NO_XXE |
    ParseOption.XML_PARSE_NONET |
    ParseOption.XML_PARSE_BIG_LINES
  let document: XmlDocument | undefined
  try {
    document = library.XmlDocument.fromString(text, { option })
    if (document.dtd) throw new PackageRefused(doctypeProblem(fileName))
    refuseOtherRoots(document.root, fileName)
    return plain(library, document.root, fileName)
  } catch (error) {
    if (error instanceof library.XmlParseError) throw new PackageRefused(parseProblems(error.details, fileName))
    throw error
  } finally {
    document?.dispose()
  }
}

function refuseOtherRoots(root: XmlElement, fileName: string): void {
  const isCourseStructure = root.name === 'courseStructure'
  if (isCourseStructure && root.namespaceUri === courseStructureNamespace) return
  const found = isCourseStructure
    ? `courseStructure is in the namespace ${quote(root.namespaceUri)}`
    : `the first element is ${quote(root.name)}`
  throw new PackageRefused(
    `${fileName}, line ${root.line}: This is not a cmi5 course structure: ${found}. Expected courseStructure in the namespace ${courseStructureNamespace}.`,
  )
}

function parseProblems(details: { message: string; line: number }[], fileName: string): string[] {
  if (details.length === 0) return [`${fileName}: The file is empty or not XML.`]
  return details.map((detail) => {
    const problem = /^Excessive depth/.test(detail.message)
      ? 'Elements are nested too deeply.'
      : `The XML is not well-formed: ${inOneLine(detail.message)}.`
    return `${fileName}, line ${detail.line}: ${problem}`
  })
}

/** Keeps the first line of a message. The library adds lines of the file to it. */
function inOneLine(message: string): string {
  const [first = ''] = message.trim().split(/[\r\n]/)
  const visible = first.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '\ufffd').replace(/[\s.]+$/, '')
  const characters = [...visible]
  return characters.length > 200 ? `${characters.slice(0, 197).join('')}…` : visible
}

/**
 * Copies the elements of the schema out of the library's memory. Skips foreign elements with their content, comments
 * and processing instructions. Uses a stack instead of recursion, because authors choose the depth.
 */
function plain(library: Library, root: XmlElement, fileName: string): Element {
  let count = 0
  const top = plainElement(root)
  const waiting: { node: XmlElement; element: Element }[] = [{ node: root, element: top }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    let text = ''
    for (let node: XmlNode | null = next.node.firstChild; node; node = (node as XmlElement).next) {
      if (node instanceof library.XmlText || node instanceof library.XmlCData) text += node.content
      if (!(node instanceof library.XmlElement) || isForeign(node.namespaceUri)) continue
      if (++count > packageLimits.elements) {
        throw new PackageRefused(`${fileName}: There are more than ${packageLimits.elements} elements.`)
      }
      const element = plainElement(node)
      next.element.children.push(element)
      waiting.push({ node, element })
    }
    next.element.text = text.trim()
  }
  return top
}

/** An element without a namespace is a mistake, not an extension. */
function isForeign(namespaceUri: string): boolean {
  return namespaceUri !== courseStructureNamespace && namespaceUri !== ''
}

function plainElement(node: XmlElement): Element {
  const attributes = node.attrs.filter((attribute) => attribute.namespaceUri === '')
  return {
    name: node.namespaceUri === '' ? `${node.name} (without namespace)` : node.name,
    line: node.line,
    attributes: new Map(attributes.map((attribute) => [attribute.name, attribute.value.trim()])),
    children: [],
    text: '',
  }
}
