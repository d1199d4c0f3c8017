/** Rules for the url of a unit: what may be launched, and which file of the package it names. */
import { isOwnAddress } from '~/config/content.server.ts'
import { packageLimits, quote } from './limits.ts'

/** The files of a package by path, used by the rules below. */
export class PackageFiles {
  private readonly paths = new Set<string>()
  private readonly folders = new Set<string>()
  private readonly byFoldedPath = new Map<string, string>()

  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      this.paths.add(path)
      this.byFoldedPath.set(path.toLowerCase(), path)
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
        this.folders.add(path.slice(0, end))
      }
    }
  }

  has(path: string): boolean {
    return this.paths.has(path)
  }

  isFolder(path: string): boolean {
    return this.folders.has(path.replace(/\/$/, ''))
  }

  /** Returns the file whose path differs only in case. */
  similarTo(path: string): string | undefined {
    return this.byFoldedPath.get(path.toLowerCase())
  }
}

/** Parameters that a launch adds to the query, so that a url must not contain them (cmi5, 8.1). */
const reservedNames = ['endpoint', 'fetch', 'actor', 'registration', 'activityId']

/**
 * Returns the rest of a sentence that begins with "The url … of the unit", or null if the url is good. `files` is null
 * without a zip.
 */
export function checkUrl(url: string, files: PackageFiles | null): string | null {
  if (url.length > packageLimits.urlLength) return `is longer than ${packageLimits.urlLength} characters.`
  const wrong = /[\s\p{Cc}<>"{}|\\^`]/u.exec(url)
  if (wrong) return `contains ${nameOf(wrong[0])}, which a URL must not contain (RFC 1738). Write it percent-encoded.`
  if (/%(?![0-9a-f]{2})/i.test(url)) return 'contains a % that is not followed by two hexadecimal digits.'
  const scheme = schemeOf(url)
  const problem = scheme === undefined ? checkRelative(url, files) : checkAbsolute(url, scheme)
  return problem ?? checkQuery(url)
}

function nameOf(character: string): string {
  if (/\s/.test(character)) return 'a space'
  return /\p{Cc}/u.test(character) ? 'a control character' : `the character ${character}`
}

function schemeOf(url: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
}

/** Schemes that a browser itself would run or read. A single letter is a drive, such as C:. */
const refusedSchemes = /^(javascript|data|vbscript|file|blob|filesystem|about|view-source|[a-z])$/
const longestScheme = 40

/** Accepts any other scheme, because a unit may be a program of its own (cmi5, 13.1.4). */
function checkAbsolute(url: string, scheme: string): string | null {
  if (refusedSchemes.test(scheme) || scheme.length > longestScheme) {
    return `begins with ${quote(`${scheme}:`)}. A unit is a file of the package, a page at http: or https:, or opens in its own program.`
  }
  const isComplete = isPage(scheme)
    ? /^https?:\/\/[^/?#]/i.test(url) && URL.canParse(url)
    : url.length > scheme.length + 1
  if (!isComplete) return 'is not a complete address such as https://example.org/unit.'
  if (!isPage(scheme)) return null
  const { username, password } = new URL(url)
  if (username || password) return 'contains a user name or password, which everybody who opens the unit could read.'
  return isOwnAddress(url) ? 'is an address of this site, where no content may run. Put the page into the zip.' : null
}

function isPage(scheme: string): boolean {
  return scheme === 'http' || scheme === 'https'
}

/**
 * Returns the scheme of a url that opens in another program, otherwise null. A page cannot send people there, so such a
 * unit is kept but cannot be launched (cmi5 13.1.4).
 */
export function otherProgramOf(url: string): string | null {
  const scheme = schemeOf(url)
  return scheme === undefined || isPage(scheme) ? null : scheme
}

function checkRelative(url: string, files: PackageFiles | null): string | null {
  if (!files) return 'is relative. Without a zip every url must be complete, such as https://example.org/unit.'
  if (url.startsWith('/')) return 'begins with a slash. Write the path of the file inside the zip, such as index.html.'
  const path = pathInPackage(url)
  if (path === null) return 'leads out of the package.'
  if (path === '') return 'names no file of the package.'
  if (files.has(path)) return null
  if (files.isFolder(path)) return 'names a folder. Name the file in it that is to be opened.'
  const similar = files.similarTo(path)
  if (similar) return `names a file that is not in the zip. There is ${quote(similar)}: upper and lower case count.`
  return `names the file ${quote(path)}, which is not in the zip.`
}

/**
 * Returns the file that a relative url names, without query and fragment. Returns null if it leads out of the package
 * or cannot be served.
 */
function pathInPackage(url: string): string | null {
  const kept: string[] = []
  for (const part of (/^[^?#]*/.exec(url)?.[0] ?? '').split('/')) {
    const segment = decodeSegment(part)
    if (segment === null) return null
    if (segment === '..') {
      if (kept.pop() === undefined) return null
    } else if (segment !== '.') {
      kept.push(segment)
    }
  }
  return kept.join('/').normalize('NFC')
}

/** Decodes one segment of a path. Returns null if it would mean different things to a file system and a browser. */
export function decodeSegment(part: string): string | null {
  try {
    const segment = decodeURIComponent(part)
    return /[/\\\p{Cc}\p{Cs}]/u.test(segment) ? null : segment
  } catch {
    return null
  }
}

function checkQuery(url: string): string | null {
  const query = /^[^?#]*\?([^#]*)/.exec(url)?.[1] ?? ''
  const taken = [...new URLSearchParams(query).keys()].filter((name) => reservedNames.includes(name))
  if (taken.length === 0) return null
  return `has the parameter ${quote(taken[0] ?? '')} in its query. The launch adds ${reservedNames.join(', ')} itself (cmi5, 8.1).`
}
