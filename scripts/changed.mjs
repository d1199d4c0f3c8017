/**
 * Finds the tests that a change affects. Unit and service tests import the code that they test, so vitest finds them.
 * Tests that drive the built product import none of it, so there is a rule for them.
 *
 * HTTP and start-up tests run if any part of the product has changed. These browser tests run:
 * - the files that have changed themselves;
 * - all of them, if a file that every page uses has changed;
 * - otherwise those that contain a word of the changed path: "glossary" for app/components/glossary/letters.tsx,
 *   app/routes/glossary.tsx or app/services/glossary/glossary.server.ts.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const PRODUCT = /^(app|db|migrations|public|seed|server|package-lock\.json|(vite|tailwind|remix)[\w.]*\.config\.\w+)/
const FOR_EVERY_PAGE = new RegExp(
  [
    '^tests/(browser/(support|harness)|support)/',
    '^playwright\\.config',
    '^scripts/',
    '^(db|migrations|public|seed|server)/',
    '^package-lock\\.json$',
    '^[\\w.]+\\.config\\.\\w+$',
    '^app/(browser|config|edge|http|lib|styles)/',
    '^app/components/(ui|layout|failures)/',
    '^app/[^/]+$',
  ].join('|'),
)
/** Words of paths that do not say what a page is about. */
const EMPTY_WORDS =
  /^(app|components|console|dashboard|forms|graphql|index|jobs|learn|my|new|pages|read|routes|server|services|uid|view|views)$/

/** Files that differ from a commit, including untracked ones. @param {string} commit @returns {string[]} */
export function changedFiles(commit) {
  const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { encoding: 'utf8' })
  const output = git('diff', '--name-only', commit) + git('ls-files', '--others', '--exclude-standard')
  return output.split('\n').filter(Boolean)
}

/** @param {string} file */
export function isOfProduct(file) {
  return PRODUCT.test(file)
}

/** The browser test files that these changes affect. @param {string[]} files @returns {string[]} */
export function specsFor(files) {
  const specs = fs
    .readdirSync('tests/browser', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => path.posix.join('tests/browser', name))
  if (files.some((file) => FOR_EVERY_PAGE.test(file))) return specs
  const words = new Set(files.filter(isOfProduct).flatMap(wordsOf))
  return specs.filter((spec) => {
    if (files.includes(spec)) return true
    const text = fs.readFileSync(spec, 'utf8').toLowerCase()
    return [...words].some((word) => text.includes(word))
  })
}

/** The domain of a file: its folder below the layer or, for a route, the words of its address. @param {string} file */
function wordsOf(file) {
  const [, layer, ...rest] = file.replace(/(\.server)?\.\w+$/, '').split('/')
  const name = layer === 'routes' ? rest.join('.') : (rest[0] ?? '')
  return name.split(/[._$-]+/).filter((word) => word.length > 2 && !EMPTY_WORDS.test(word))
}
