/**
 * Which tests a change affects. Unit and service tests import what they test, so vitest finds them. Tests that drive the built
 * product import nothing of it; for them there is a rule.
 *
 * HTTP and start-up tests run when anything of the product has changed. Of the browser tests run:
 * - the files that have changed themselves;
 * - all of them, when something changed that every page uses;
 * - else those that name a word of the changed path: "glossary" for app/components/glossary/letters.tsx, app/routes/glossary.tsx
 *   or app/services/glossary/glossary.server.ts.
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
/** Words of paths that say nothing of what a page is about. */
const EMPTY_WORDS =
  /^(app|components|console|dashboard|forms|graphql|index|jobs|learn|my|new|pages|read|routes|server|services|uid|view|views)$/

/** Files that differ from a commit, with those that git does not know yet. @param {string} commit @returns {string[]} */
export function changedFiles(commit) {
  const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { encoding: 'utf8' })
  const output = git('diff', '--name-only', commit) + git('ls-files', '--others', '--exclude-standard')
  return output.split('\n').filter(Boolean)
}

/** @param {string} file */
export function isOfProduct(file) {
  return PRODUCT.test(file)
}

/** The files of browser tests that these changes affect. @param {string[]} files @returns {string[]} */
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

/** The domain of a file: its folder below the layer, or for a route the words of its address. @param {string} file */
function wordsOf(file) {
  const [, layer, ...rest] = file.replace(/(\.server)?\.\w+$/, '').split('/')
  const name = layer === 'routes' ? rest.join('.') : (rest[0] ?? '')
  return name.split(/[._$-]+/).filter((word) => word.length > 2 && !EMPTY_WORDS.test(word))
}
