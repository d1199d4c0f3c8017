/**
 * An image of rich text as plain markdown: `![alt](address#width=300,max-width=500 "Caption")`. What the fragment does not say
 * is the default, and other readers of markdown show the same image without it (docs/decisions/007).
 */
export type MarkdownImage = {
  src: string
  altText: string
  width: number | null
  height: number | null
  maxWidth: number
  showCaption: boolean
  caption: string
}

/** An image that was inserted; one that came as markdown, and does not say, may be wider. */
export const insertedMaxWidth = 500
const markdownMaxWidth = 800

/** An image before anything is said about it. */
export const newImage: MarkdownImage = {
  src: '',
  altText: '',
  width: null,
  height: null,
  maxWidth: insertedMaxWidth,
  showCaption: true,
  caption: '',
}

const widest = 4000

/** From the parts that markdown has. */
export function readMarkdownImage(part: { url: string; alt?: string | null; title?: string | null }): MarkdownImage {
  const { src, options } = splitAddress(part.url)
  const caption = part.title ?? ''
  return {
    src,
    altText: part.alt ?? '',
    width: sizeOf(options.get('width')),
    height: sizeOf(options.get('height')),
    maxWidth: sizeOf(options.get('max-width')) ?? markdownMaxWidth,
    showCaption: options.get('caption') !== 'hidden',
    caption,
  }
}

export function writeMarkdownImage(image: MarkdownImage): { url: string; alt: string; title: string | null } {
  const options = [
    image.width !== null && `width=${image.width}`,
    image.height !== null && `height=${image.height}`,
    image.maxWidth !== markdownMaxWidth && `max-width=${image.maxWidth}`,
    !image.showCaption && 'caption=hidden',
  ].filter(Boolean)
  const joint = image.src.includes('#') ? ',' : '#'
  const url = options.length === 0 ? image.src : `${image.src}${joint}${options.join(',')}`
  return { url, alt: image.altText, title: image.caption || null }
}

/** Pictures of the web, and our own by their paths. */
export function isSafeImage(address: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the purpose
  if (/[\s\u0000-\u001f\\<>"]/.test(address)) return false
  if (/^\/(?:images|files)\/[\w.-]+$/.test(address.split('#')[0] ?? '')) return true
  return /^https?:\/\/[^/]/i.test(address) && URL.canParse(address)
}

/** A whole number of pixels that makes sense, or null. */
export function sizeOf(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,4}$/.test(text)) return null
  const size = Number(text)
  return size >= 1 && size <= widest ? size : null
}

const known = /^(?:(?:width|height|max-width)=\d{1,4}|caption=hidden)$/

/** Only what we know leaves the address; a fragment of its own stays. */
function splitAddress(url: string): { src: string; options: Map<string, string> } {
  const options = new Map<string, string>()
  const at = url.indexOf('#')
  if (at < 0) return { src: url, options }
  const kept: string[] = []
  for (const part of url.slice(at + 1).split(',')) {
    const [key = '', value = ''] = part.split('=')
    if (known.test(part)) options.set(key, value)
    else kept.push(part)
  }
  return { src: kept.length > 0 ? `${url.slice(0, at)}#${kept.join(',')}` : url.slice(0, at), options }
}
