/** The requirements in docs/requirements, and the places in the repository that cite them. */
import fs from 'node:fs'
import path from 'node:path'

/** @typedef {{ id: string, list: string, area: string }} Requirement */

const FOLDER = 'docs/requirements'
const NOT_OURS = /^(node_modules|build|dist|test-results|playwright-report|docs\/requirements|package-lock\.json)$/
const TEXT = /\.(c?js|css|graphql|html|json|md|mjs|sql|svg|ts|tsx|txt|vtt|xml|yml)$/
const ID = /\b[LAC]-\d{3}\b/g
const RANGE = /\b([LAC])-(\d{3}) to \1-(\d{3})\b/g
/** An id without its hyphen belongs to a list that is not in the repository, so nobody can look it up. */
const UNKNOWN_LIST = /\b[LAC]\d{3}\b/g
/** Matches a reference to a document that is not in the repository: its name in parentheses, a comma and a section. */
const UNKNOWN_PAPER = /\((the )?(design|decisions),[^)]*\)?/g

/** @returns {Requirement[]} */
export function readRequirements() {
  return fs
    .readdirSync(FOLDER)
    .filter((name) => name.endsWith('.tsv'))
    .sort()
    .flatMap((name) => {
      const [, ...rows] = fs.readFileSync(path.join(FOLDER, name), 'utf8').trimEnd().split('\n')
      return rows.map((row) => {
        const [id = '', area = ''] = row.split('\t')
        return { id, list: path.parse(name).name, area }
      })
    })
}

/** The ids that a text cites, including those within a range such as "A-096 to A-102". @param {string} text */
export function idsIn(text) {
  const ids = new Set(text.match(ID))
  for (const [, letter, first, last] of text.matchAll(RANGE)) {
    for (let number = Number(first); number <= Number(last); number++) {
      ids.add(`${letter}-${String(number).padStart(3, '0')}`)
    }
  }
  return ids
}

/** References in the repository that nobody can look up, as "file:line: reference". */
export function findBrokenReferences() {
  const known = new Set(readRequirements().map(({ id }) => id))
  return textFiles().flatMap((file) =>
    fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        brokenReferencesIn(line, known).map((reference) => `${file}:${index + 1}: ${reference}`),
      ),
  )
}

/** @param {string} line @param {Set<string>} known the ids of the requirements */
export function brokenReferencesIn(line, known) {
  const ids = [...idsIn(line)].filter((id) => !known.has(id))
  return [...ids, ...(line.match(UNKNOWN_LIST) ?? []), ...(line.match(UNKNOWN_PAPER) ?? [])]
}

/** Prints by area which requirements the tests cite, and which they do not. */
export function reportRequirements() {
  const named = new Set()
  for (const file of textFiles('tests')) for (const id of idsIn(fs.readFileSync(file, 'utf8'))) named.add(id)
  const requirements = readRequirements()
  for (const [list, ofList] of groupBy(requirements, ({ list }) => list)) {
    console.log(`\n${list}: tests name ${count(ofList, named)}`)
    for (const [area, ofArea] of groupBy(ofList, ({ area }) => area)) {
      console.log(`\n  ${area}: ${count(ofArea, named)}`)
      print(
        'named',
        ofArea.filter(({ id }) => named.has(id)),
      )
      print(
        'not named',
        ofArea.filter(({ id }) => !named.has(id)),
      )
    }
  }
  console.log(`\nTests name ${count(requirements, named)} requirements.`)
}

/** @param {Requirement[]} requirements @param {Set<string>} named */
function count(requirements, named) {
  return `${requirements.filter(({ id }) => named.has(id)).length} of ${requirements.length}`
}

/** @param {string} title @param {Requirement[]} requirements */
function print(title, requirements) {
  const ids = requirements.map(({ id }) => id)
  for (let start = 0; start < ids.length; start += 14) {
    console.log(`    ${(start === 0 ? title : '').padEnd(10)}${ids.slice(start, start + 14).join(' ')}`)
  }
}

/** @param {Requirement[]} requirements @param {(one: Requirement) => string} keyOf */
function groupBy(requirements, keyOf) {
  /** @type {Map<string, Requirement[]>} */
  const groups = new Map()
  for (const one of requirements) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return groups
}

/** Text files below a folder, without generated ones. @param {string} folder @returns {string[]} */
function textFiles(folder = '') {
  return fs
    .readdirSync(folder || '.', { withFileTypes: true })
    .map((entry) => ({ entry, file: path.posix.join(folder, entry.name) }))
    .filter(({ file }) => !NOT_OURS.test(file))
    .sort((a, b) => (a.file < b.file ? -1 : 1))
    .flatMap(({ entry, file }) => {
      // Folders such as .git and .data are not ours; files such as .dependency-cruiser.cjs are.
      if (entry.isDirectory()) return entry.name.startsWith('.') ? [] : textFiles(file)
      return entry.isFile() && TEXT.test(entry.name) ? [file] : []
    })
}
