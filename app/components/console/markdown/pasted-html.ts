/** Converts HTML of other programs for the editor's schema: Word's lists, superscript and subscript, and pictures. */

export type PastedImage = { file: File; altText: string }

type CleanPaste = {
  html: string
  /** The pictures that the HTML held as `data:` addresses, in order. They are removed from the HTML. */
  images: PastedImage[]
  /** The number of pictures left out because their address belongs to another program or site. */
  refused: number
}

export function cleanPastedHtml(html: string): CleanPaste {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  makeLists(body)
  for (const element of body.querySelectorAll('s, strike')) rename(element, 'del')
  for (const element of body.querySelectorAll('sub, sup')) element.replaceWith(shifted(element))
  const images: PastedImage[] = []
  let refused = 0
  for (const image of body.querySelectorAll('img')) {
    // Skips images that were copied from this editor.
    if (image.closest('span[data-image]')) continue
    const src = image.getAttribute('src') ?? ''
    const own = ownPath(src)
    if (own) {
      image.setAttribute('src', own)
      continue
    }
    const file = fileOfData(src)
    if (file) images.push({ file, altText: image.alt })
    else refused++
    image.remove()
  }
  return { html: body.innerHTML, images, refused }
}

/** Returns the path of a picture of this site, from a full or relative address; null for all other pictures. */
function ownPath(src: string): string | null {
  if (!URL.canParse(src, location.href)) return null
  const { origin, pathname } = new URL(src, location.href)
  return origin === location.origin && /^\/(images|files)\//.test(pathname) ? pathname : null
}

function fileOfData(src: string): File | null {
  const match = /^data:image\/(png|jpeg);base64,([a-z0-9+/=\s]+)$/i.exec(src)
  if (!match?.[1] || !match[2]) return null
  try {
    const bytes = Uint8Array.from(atob(match[2].replace(/\s/g, '')), (character) => character.charCodeAt(0))
    const type = match[1].toLowerCase()
    return new File([bytes], `Pasted image.${type === 'jpeg' ? 'jpg' : type}`, { type: `image/${type}` })
  } catch {
    return null
  }
}

/** Rebuilds Word's lists. Word writes a list as paragraphs with a level and with the bullet or number as text. */
function makeLists(body: HTMLElement): void {
  const paragraphs = [...body.querySelectorAll<HTMLElement>('p, div')].filter((element) => levelOf(element) !== null)
  // The open lists from the outermost to the innermost, and the item of the last paragraph.
  let open: { level: number; list: HTMLElement }[] = []
  let last: Element | null = null
  for (const paragraph of paragraphs) {
    const level = levelOf(paragraph) ?? 1
    const tag = removeMarker(paragraph) ? 'ol' : 'ul'
    if (last === null || paragraph.previousElementSibling !== open[0]?.list) open = []
    open = open.filter((one) => one.level <= level)
    const current = open.at(-1)
    const item = body.ownerDocument.createElement('li')
    if (current?.level === level && current.list.localName === tag) current.list.append(item)
    else {
      const list = body.ownerDocument.createElement(tag)
      if (current?.level === level) open.pop()
      const outer = open.at(-1)
      const outerItem = outer?.list.lastElementChild
      if (outerItem) outerItem.append(list)
      else paragraph.before(list)
      open.push({ level, list })
      list.append(item)
    }
    const content = body.ownerDocument.createElement('p')
    content.append(...paragraph.childNodes)
    item.prepend(content)
    paragraph.remove()
    last = item
  }
}

/** Returns the level of a list item, from 1; null for other elements. */
function levelOf(element: Element): number | null {
  const style = element.getAttribute('style') ?? ''
  const level = /mso-list:\s*l\d+\s+level(\d)/i.exec(style)?.[1]
  if (level) return Number(level)
  return /^MsoListParagraph/.test(element.className) && bullet.test(element.textContent ?? '') ? 1 : null
}

const bullet = /^\s*(?:[·•▪◦●○■□§oØ–-]|\(?(?:\d{1,3}|[a-z]{1,4})[.)])[\s\u00a0]+/i

/** Removes the bullet or number and returns whether it was a number. */
function removeMarker(paragraph: HTMLElement): boolean {
  const ignored = [...paragraph.querySelectorAll('span')].find((span) =>
    /mso-list:\s*ignore/i.test(span.getAttribute('style') ?? ''),
  )
  const marker = ignored?.textContent ?? bullet.exec(paragraph.textContent ?? '')?.[0] ?? ''
  if (ignored) ignored.remove()
  else removeText(paragraph, marker.length)
  return /^[\s\u00a0]*\(?(\d{1,3}|[a-z]{1,4})[.)]/i.test(marker)
}

/** Removes `length` characters from the beginning of the text, across elements. */
function removeText(node: Node, length: number): void {
  let left = length
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
  for (let text = walker.nextNode(); text && left > 0; text = walker.nextNode()) {
    const value = text.nodeValue ?? ''
    text.nodeValue = value.slice(left)
    left -= value.length
  }
}

function rename(element: Element, name: string): void {
  const renamed = element.ownerDocument.createElement(name)
  renamed.append(...element.childNodes)
  element.replaceWith(renamed)
}

const raised: Record<string, string> = Object.fromEntries(
  [...'0123456789+-=()n'].map((key, at) => [key, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ'][at] ?? key]),
)
const lowered: Record<string, string> = Object.fromEntries(
  [...'0123456789+-=()'].map((key, at) => [key, [...'₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎'][at] ?? key]),
)

/**
 * Replaces superscript and subscript by Unicode characters ("H₂O"), because markdown has neither. Other letters stay.
 */
function shifted(element: Element): string {
  const signs = element.localName === 'sub' ? lowered : raised
  const characters = [...(element.textContent ?? '')]
  return characters.every((one) => one in signs) ? characters.map((one) => signs[one]).join('') : characters.join('')
}
