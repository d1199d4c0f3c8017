/** The editor's image: a node with all attributes of A-126, written as plain markdown (docs/decisions/007). */
import { imageSchema } from '@milkdown/kit/preset/commonmark'
import {
  isSafeImage,
  type MarkdownImage,
  newImage,
  readMarkdownImage,
  writeMarkdownImage,
} from '~/lib/markdown-image.ts'

export const imageNode = imageSchema.extendSchema((base) => (ctx) => ({
  ...base(ctx),
  attrs: Object.fromEntries(Object.entries(newImage).map(([name, value]) => [name, { default: value }])),
  toDOM: (node) => {
    const image = node.attrs as MarkdownImage
    const { src, altText, width, height, maxWidth, showCaption, caption } = image
    const shape = { style: `max-width:min(100%,${maxWidth}px)`, width, height }
    return [
      'span',
      { class: 'editor-image', 'data-image': JSON.stringify(image) },
      isSafeImage(src) ? ['img', { src, alt: altText, ...shape, draggable: 'false' }] : ['span', {}, altText],
      ...(showCaption && caption ? [['span', { class: 'editor-caption' }, caption] as const] : []),
    ]
  },
  parseDOM: [
    { tag: 'span[data-image]', getAttrs: (dom) => imageOf((dom as HTMLElement).dataset.image ?? '') },
    {
      tag: 'img[src]',
      getAttrs: (dom) => {
        const src = (dom as HTMLElement).getAttribute('src') ?? ''
        return isSafeImage(src) && { ...newImage, src, altText: (dom as HTMLElement).getAttribute('alt') ?? '' }
      },
    },
  ],
  parseMarkdown: {
    match: ({ type }) => type === 'image',
    runner: (state, node, type) => {
      const { url, alt, title } = node as unknown as { url: string; alt: string | null; title: string | null }
      state.addNode(type, readMarkdownImage({ url, alt, title }))
    },
  },
  toMarkdown: {
    match: (node) => node.type.name === 'image',
    runner: (state, node) => {
      state.addNode('image', undefined, undefined, writeMarkdownImage(node.attrs as MarkdownImage))
    },
  },
}))

/** Reads an image from pasted JSON, which can come from any page and is therefore checked. */
function imageOf(json: string): MarkdownImage | false {
  try {
    const { src, altText, ...image } = { ...newImage, ...(JSON.parse(json) as Partial<MarkdownImage>) }
    const written = writeMarkdownImage({ ...image, src: String(src), altText: String(altText) })
    return isSafeImage(written.url) && readMarkdownImage(written)
  } catch {
    return false
  }
}
