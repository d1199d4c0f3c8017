/**
 * An image of rich text as plain markdown: `![alt](address#width=300,max-width=500 "Caption")`. Options that
 * the fragment leaves out have their defaults, and other readers of markdown show the same image without options
 * (docs/decisions/007).
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

/** The maximum width of an inserted image. An image that came as markdown without a width may be wider. */
export const insertedMaxWidth = 500
const markdownMaxWidth = 800

/** An image with all options at their defaults. */
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

/** Reads an image from the three parts that markdown has. */
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

/** True for pictures on the web, and for our own by their paths. */
export function isSafeImage(address: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the purpose
  if (/[\s\u0000-\u001f\\<>"]/.test(address)) return false
  if (/^\/(?:images|files)\/[\w.-]+$/.test(address.split('#')[0] ?? '')) return true
  return /^https?:\/\/[^/]/i.test(address) && URL.canParse(address)
}

/** A whole number of pixels within the limits, or null. */
export function sizeOf(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,4}$/.test(text)) return null
  const size = Number(text)
  return size >= 1 && size <= widest ? size : null
}

const known = /^(?:(?:width|height|max-width)=\d{1,4}|caption=hidden)$/

/** Removes only the options that we know from the address; the rest of the fragment stays. */
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
