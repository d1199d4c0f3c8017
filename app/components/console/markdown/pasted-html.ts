/** HTML of other programs, made into what the editor's schema reads: Word's lists, raised and lowered figures, and pictures. */

export type PastedImage = { file: File; altText: string }

type CleanPaste = {
  html: string
  /** Pictures that came inside the HTML (`data:` addresses), in their order. They are no longer in it. */
  images: PastedImage[]
  /** How many pictures were left out, because their address is of another program or site. */
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
    // What this editor has copied, it knows.
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

/** The path of a picture of this site, however its address is written; null for all others. */
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

/** Word writes a list as paragraphs that name their level, with the bullet or number as text before them. */
function makeLists(body: HTMLElement): void {
  const paragraphs = [...body.querySelectorAll<HTMLElement>('p, div')].filter((element) => levelOf(element) !== null)
  // The lists that are open, from the outside in, and the last item of the last paragraph.
  let open: { level: number; list: HTMLElement }[] = []
  let last: Element | null = null
  for (const paragraph of paragraphs) {
    const level = levelOf(paragraph) ?? 1
    const tag = takeMarker(paragraph) ? 'ol' : 'ul'
    if (last === null || paragraph.previousElementSibling !== open[0]?.list) open = []
    open = open.filter((one) => one.level <= level)
    const current = open.at(-1)
    const item = body.ownerDocument.createElement('li')
    if (current?.level === level && current.list.localName === tag) current.list.append(item)
    else {
      const list = body.ownerDocument.createElement(tag)
      if (current?.level === level) open.pop()
      const outer = open.at(-1)
      const place = outer?.list.lastElementChild
      if (place) place.append(list)
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

/** From 1; null for what is no item of a list. */
function levelOf(element: Element): number | null {
  const style = element.getAttribute('style') ?? ''
  const level = /mso-list:\s*l\d+\s+level(\d)/i.exec(style)?.[1]
  if (level) return Number(level)
  return /^MsoListParagraph/.test(element.className) && bullet.test(element.textContent ?? '') ? 1 : null
}

const bullet = /^\s*(?:[·•▪◦●○■□§oØ–-]|\(?(?:\d{1,3}|[a-z]{1,4})[.)])[\s\u00a0]+/i

/** Takes the bullet or number away; whether it was a number. */
function takeMarker(paragraph: HTMLElement): boolean {
  const ignored = [...paragraph.querySelectorAll('span')].find((span) =>
    /mso-list:\s*ignore/i.test(span.getAttribute('style') ?? ''),
  )
  const marker = ignored?.textContent ?? bullet.exec(paragraph.textContent ?? '')?.[0] ?? ''
  if (ignored) ignored.remove()
  else takeText(paragraph, marker.length)
  return /^[\s\u00a0]*\(?(\d{1,3}|[a-z]{1,4})[.)]/i.test(marker)
}

/** Takes so many characters from the beginning, through however many elements. */
function takeText(node: Node, length: number): void {
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

/** Markdown has no raised and lowered text, but Unicode has the figures: "H₂O". Other letters stay as they are. */
function shifted(element: Element): string {
  const signs = element.localName === 'sub' ? lowered : raised
  const characters = [...(element.textContent ?? '')]
  return characters.every((one) => one in signs) ? characters.map((one) => signs[one]).join('') : characters.join('')
}
