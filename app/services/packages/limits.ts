/** Limits of packages, and the error that refuses a package. */

const megabyte = 1024 * 1024

export const packageLimits = {
  /** The size of the received file, zip or XML. Exactly this size is allowed. */
  receivedBytes: 50 * megabyte,
  entries: 10_000,
  unpackedBytes: 500 * megabyte,
  fileBytes: 200 * megabyte,
  /**
   * Unpacked size divided by packed size, for files beyond `ratioFromBytes`. Text shrinks to a tenth, zip bombs to a
   * thousandth.
   */
  ratio: 200,
  ratioFromBytes: megabyte,
  pathLength: 1000,
  pathSegmentBytes: 255,
  /**
   * The size of cmi5.xml, which is read into memory. A thousand units take half a megabyte and eight thousand elements.
   */
  structureBytes: 5 * megabyte,
  elements: 150_000,
  units: 10_000,
  /** In bytes, because an index entry has room for 2,700. */
  idLength: 2000,
  titleLength: 2000,
  descriptionLength: 20_000,
  urlLength: 4000,
  launchParametersLength: 100_000,
  entitlementKeyLength: 4000,
  activityTypeLength: 2000,
  /** The most problems to collect; the first 20 are shown. */
  problems: 100,
} as const

const messageLength = 4000
const problemsShown = 20

/** Refuses a package. Each problem is a sentence that its author can act on: file, line if there is one, rule. */
export class PackageRefused extends Error {
  readonly problems: string[]
  constructor(problems: string | string[]) {
    const all = typeof problems === 'string' ? [problems] : problems
    super(messageOf(all))
    this.name = 'PackageRefused'
    this.problems = all
  }
}

/** Returns the text for the author: one problem per line, at most 20. */
export function messageOf(problems: string[]): string {
  const lines = problems.slice(0, problemsShown)
  if (problems.length > lines.length) lines.push(`… and ${problems.length - lines.length} more.`)
  const text = lines.join('\n')
  return text.length <= messageLength ? text : `${text.slice(0, messageLength - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/**
 * Quotes a name from a package for use in a sentence: on one line, in the direction of the sentence, shortened if it is
 * long.
 */
export function quote(value: string): string {
  const visible = value.replace(/[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/gu, '\ufffd')
  const characters = [...visible]
  return `“${characters.length > 120 ? `${characters.slice(0, 117).join('')}…` : visible}”`
}

export function inMegabytes(bytes: number): string {
  return `${Math.floor(bytes / megabyte)} MB`
}
