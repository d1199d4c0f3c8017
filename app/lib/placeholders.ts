/**
 * Placeholders in messages: `{{first name}}` stands for the recipient's own. They are filled in for each recipient, as
 * the last step, so that nothing of a name can act as Markdown, HTML or another placeholder.
 */

export const placeholders = ['first name', 'institution'] as const
export type Placeholder = (typeof placeholders)[number]

/** What a recipient has for each placeholder; null or empty for nothing. */
export type PlaceholderValues = Record<Placeholder, string | null>

/** What stands there for somebody who has no such value: "Hello there", "at your institution". */
const fallbacks: Record<Placeholder, string> = { 'first name': 'there', institution: 'your institution' }

/** Anything in two braces on one line. Long texts in braces are no placeholders. */
const inBraces = /\{\{([^{}\n]{0,60})\}\}/g

function placeholderOf(written: string): Placeholder | undefined {
  const name = written.trim().toLowerCase().replace(/\s+/g, ' ')
  return placeholders.find((one) => one === name)
}

/** Lists what stands in two braces and is no placeholder, as it is written, each once. */
export function unknownPlaceholders(text: string): string[] {
  const unknown = [...text.matchAll(inBraces)].flatMap(([whole, name = '']) => (placeholderOf(name) ? [] : [whole]))
  return [...new Set(unknown)]
}

/**
 * Puts the recipient's values in place of the placeholders. `write` makes a value safe where it is put: `escapeHtml` in
 * HTML, `escapeMarkdown` in Markdown, nothing in plain text. What is no placeholder stays as it is written.
 */
export function fillPlaceholders(
  text: string,
  values: PlaceholderValues,
  write: (value: string) => string = (value) => value,
): string {
  return text.replace(inBraces, (whole, name: string) => {
    const placeholder = placeholderOf(name)
    if (!placeholder) return whole
    return write(values[placeholder]?.trim() || fallbacks[placeholder])
  })
}

/** Every sign that can mean something in Markdown loses its meaning. Line ends become blanks. */
export function escapeMarkdown(value: string): string {
  return value.replace(/\s+/g, ' ').replace(/[!-/:-@[-`{-~]/g, '\\$&')
}

/** What an unknown placeholder is refused with. */
export function unknownPlaceholderProblem([first = '']: string[]): string {
  const known = placeholders.map((name) => `{{${name}}}`).join(' and ')
  return `${first} is not a placeholder. You can use ${known}.`
}
