/**
 * What the two ways to write a term with its definition share: in the HTML of markdown (lib/markdown.ts) and in plain
 * texts (components/glossary/text-with-terms.tsx). The browser's own popover opens by touch and by keyboard, needs no
 * script, and closes on Escape. The panel follows its button, so that Tab leads to its link.
 */

export const termClasses = { button: 'term', panel: 'termpanel' }
/** What the button says after its word to people who cannot see the line below it. */
export const termHint = 'Shows the definition'
export const termLinkLabel = 'Open in the glossary'

export function termAddress(slug: string): string {
  return `/glossary/${encodeURIComponent(slug)}/`
}

/** `text` tells the texts of a page apart. Slugs may have characters that are not allowed in names of CSS. */
export function termId(text: string, slug: string): string {
  return `term-${text}-${encodeURIComponent(slug)
    .replaceAll('%', '_')
    .replace(/[^\w-]/g, '')}`
}
