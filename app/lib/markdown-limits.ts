/**
 * Limits for parsing markdown: a few thousand hostile characters can keep a parser busy for seconds or overflow its
 * stack.
 */

/** Maximum number of characters in rich text; forms use it as the limit of their fields. */
export const longestMarkdown = 20_000

const mostNested = 30
const mostLines = 1500
const mostEmphasis = 1000
const mostBrackets = 2000
const mostCells = 2000
/** Each use of a definition repeats its address. */
const mostReferences = 200

/** A list item inside another one stands at least two columns further to the right. */
const mostIndented = mostNested * 2

const container = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))/y

/** True for markdown that no person would write. It is shown and edited as plain text. */
export function isTooIntricate(markdown: string): boolean {
  if (markdown.length > longestMarkdown) return true
  const hasDefinitions = /^[ \t>]*\[[^\]\n]+\]:/m.test(markdown)
  if (hasDefinitions && count(markdown, /\[/g) > mostReferences) return true
  const lines = markdown.split('\n').filter((line) => line !== '')
  return (
    lines.length > mostLines ||
    lines.some((line) => containersOf(line) > mostNested || indentOfItem(line) > mostIndented) ||
    markdown.split(/\n[ \t]*\n/).some(isTooIntricateBlock)
  )
}

function isTooIntricateBlock(block: string): boolean {
  return count(block, /[*_~]/g) > mostEmphasis || count(block, /\[/g) > mostBrackets || count(block, /\|/g) > mostCells
}

function containersOf(line: string): number {
  let found = 0
  container.lastIndex = 0
  while (found <= mostNested && container.test(line)) found++
  return found
}

/** How many columns a list item is indented; 0 for other lines. */
function indentOfItem(line: string): number {
  const blanks = /^([ \t]*)(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/.exec(line)?.[1] ?? ''
  return [...blanks].reduce((column, blank) => (blank === '\t' ? column + 4 - (column % 4) : column + 1), 0)
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
