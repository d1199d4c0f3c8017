/** How much of a package is taken in, and how a package is refused. */

const megabyte = 1024 * 1024

export const packageLimits = {
  /** Of the file as received, zip or XML. Exactly this much passes. */
  receivedBytes: 50 * megabyte,
  entries: 10_000,
  unpackedBytes: 500 * megabyte,
  fileBytes: 200 * megabyte,
  /** Unpacked to packed, for files beyond `ratioFromBytes`: text shrinks to a tenth, bombs to a thousandth. */
  ratio: 200,
  ratioFromBytes: megabyte,
  pathLength: 1000,
  pathSegmentBytes: 255,
  /** Of cmi5.xml, which is read whole. A thousand units take half a megabyte and eight thousand elements. */
  structureBytes: 5 * megabyte,
  elements: 150_000,
  units: 10_000,
  /** In bytes, since an index entry has room for 2,700. */
  idLength: 2000,
  titleLength: 2000,
  descriptionLength: 20_000,
  urlLength: 4000,
  launchParametersLength: 100_000,
  entitlementKeyLength: 4000,
  activityTypeLength: 2000,
  /** Looked for at most, in one go over the elements; the first 20 are shown. */
  problems: 100,
} as const

const messageLength = 4000
const problemsShown = 20

/** The package is refused as a whole. Each problem is a sentence that its author can act on: file, line where there is one, rule. */
export class PackageRefused extends Error {
  readonly problems: string[]
  constructor(problems: string | string[]) {
    const all = typeof problems === 'string' ? [problems] : problems
    super(messageOf(all))
    this.name = 'PackageRefused'
    this.problems = all
  }
}

/** What the author reads: one problem a line, the first ones where there are many. */
export function messageOf(problems: string[]): string {
  const lines = problems.slice(0, problemsShown)
  if (problems.length > lines.length) lines.push(`… and ${problems.length - lines.length} more.`)
  const text = lines.join('\n')
  return text.length <= messageLength ? text : `${text.slice(0, messageLength - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Names from a package inside a sentence: quoted, on one line, cut where they are long. */
export function quote(value: string): string {
  const visible = value.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '\ufffd')
  const characters = [...visible]
  return `“${characters.length > 120 ? `${characters.slice(0, 117).join('')}…` : visible}”`
}

export function inMegabytes(bytes: number): string {
  return `${Math.floor(bytes / megabyte)} MB`
}
