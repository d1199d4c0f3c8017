/**
 * The only place where markdown becomes HTML (C-278): parsed, shaped, and sanitized. After that only our own elements
 * around terms of the glossary are added. For loaders, actions and services; the browser gets the result.
 */
import rehypeSanitize, { type Options as SanitizeSchema } from 'rehype-sanitize'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { markTerms, type Term, type TermTree } from './glossary-words.ts'
import { isSafeLink, preferHttps } from './link-address.ts'
import { isSafeImage, readMarkdownImage } from './markdown-image.ts'
import { isTooIntricate, longestMarkdown } from './markdown-limits.ts'
import { termAddress, termClasses, termHint, termId, termLinkLabel } from './term-markup.ts'

/** Only the parts of mdast and hast trees that this file reads; we do not install the packages with their types. */
type MarkdownNode = {
  type: string
  value?: string
  url?: string
  alt?: string | null
  label?: string | null
  identifier?: string
  /** The level of a heading. */
  depth?: number
  children?: MarkdownNode[]
}
type HtmlNode = HtmlElement | { type: 'text'; value: string } | { type: 'comment'; value: string }
type HtmlElement = { type: 'element'; tagName: string; properties: Record<string, unknown>; children: HtmlNode[] }
type HtmlRoot = { type: 'root'; children: HtmlNode[] }

type Options = {
  /**
   * How many levels headings are moved down, so that a page keeps its one h1. A fragment below an h2 of the page needs
   * 2.
   */
  headingOffset?: number
  /**
   * Instead of headingOffset: the level for the text's highest heading, so that no level is skipped wherever the text
   * starts.
   */
  headingsFrom?: number
  /** Returns the address to use in place of a link's address: one of ours, or the same one. */
  linkTo?: (address: string) => string
  /** Shows the definitions of these terms where they are used. */
  terms?: TermTree
}

/** HTML that is safe as it is. Markdown that is not worth parsing is shown as plain text, and long text is cut. */
export function renderMarkdown(markdown: string, options: Options = {}): string {
  const text = markdown.slice(0, longestMarkdown)
  if (isTooIntricate(text)) return plainHtml(text)
  return String(processor(options).processSync(text))
}

/** The addresses that the rendered text links to, each once. */
export function linksOf(markdown: string): string[] {
  const found = new Set<string>()
  const linkTo = (address: string) => {
    found.add(address)
    return address
  }
  renderMarkdown(markdown, { linkTo })
  return [...found]
}

/** The words of headings that are more than one level below the heading before them. */
export function skippedHeadings(markdown: string): string[] {
  const text = markdown.slice(0, longestMarkdown)
  if (isTooIntricate(text)) return []
  const headings = (parser.parse(text) as MarkdownNode).children?.filter(({ type }) => type === 'heading') ?? []
  return headings.flatMap((heading, index) => {
    const before = headings[index - 1]?.depth ?? Number.POSITIVE_INFINITY
    return (heading.depth ?? 1) > before + 1 ? [textOf(heading)] : []
  })
}

/** Counts the pictures that are originals of uploads (`/files/…`), which learners cannot open. */
export function countOriginals(markdown: string): number {
  const text = markdown.slice(0, longestMarkdown)
  if (isTooIntricate(text)) return 0
  const count = ({ type, url = '', children = [] }: MarkdownNode): number =>
    children.reduce(
      (sum, child) => sum + count(child),
      type === 'image' && /^(https?:\/\/[^/]+)?\/files\//i.test(url) ? 1 : 0,
    )
  return count(parser.parse(text) as MarkdownNode)
}

/**
 * The plain words, one paragraph per block: for search, lists and the plain-text part of a mail, which has the addresses
 * of links beside their words.
 */
export function markdownToText(markdown: string, { withLinks = false } = {}): string {
  const text = markdown.slice(0, longestMarkdown)
  if (isTooIntricate(text)) return text.trim()
  const tree = parser.runSync(parser.parse(text)) as MarkdownNode
  if (withLinks) addAddresses(tree)
  return textOf(tree)
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** The beginning of a text, in one line of at most `length` characters, for lists. Parses only the beginning. */
export function excerptOf(markdown: string, length = 160): string {
  const words = [
    ...markdownToText([...markdown].slice(0, length * 3).join(''))
      .replace(/^- /gm, '')
      .replace(/\s+/g, ' '),
  ]
  return words.length > length
    ? `${words
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
    : words.join('')
}

const parser = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(() => (tree) => prepareTree(tree as MarkdownNode))

function processor(options: Options) {
  return unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(() => (tree) => prepareTree(tree as MarkdownNode))
    .use(remarkRehype)
    .use(
      () => (tree) =>
        shapeChildren(tree as HtmlRoot, { ...options, headingOffset: offsetFor(tree as HtmlRoot, options) }),
    )
    .use(rehypeSanitize, schema)
    .use(() => (tree) => {
      if (options.terms) addTerms(tree as HtmlRoot, options.terms, new Set())
    })
    .use(rehypeStringify)
}

/** A term within a link would be a control within a control; headings and code stay as they are. */
const withoutTerms = new Set(['a', 'code', 'pre', 'th', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

function addTerms(parent: HtmlRoot | HtmlElement, terms: TermTree, found: Set<string>): void {
  parent.children = parent.children.flatMap((child): HtmlNode[] => {
    if (child.type === 'text') {
      return markTerms(terms, child.value, found).flatMap(({ text, term }) =>
        term ? termOf(text, term) : [{ type: 'text', value: text }],
      )
    }
    if (child.type === 'element' && !withoutTerms.has(child.tagName)) addTerms(child, terms, found)
    return [child]
  })
}

/** The same elements as those of components/glossary/text-with-terms.tsx. */
function termOf(text: string, { slug, name, definition }: Term): HtmlNode[] {
  const id = termId('html', slug)
  const element = (tagName: string, properties: HtmlElement['properties'], ...children: HtmlNode[]): HtmlElement => {
    return { type: 'element', tagName, properties, children }
  }
  const words = (value: string): HtmlNode => ({ type: 'text', value })
  const button = { type: 'button', className: [termClasses.button], popoverTarget: id, 'aria-description': termHint }
  return [
    element('button', { ...button, style: `anchor-name:--${id}` }, words(text)),
    element(
      'span',
      { id, popover: 'auto', className: [termClasses.panel], style: `position-anchor:--${id}` },
      element('strong', {}, words(name)),
      words(' '),
      element('span', {}, words(definition)),
      words(' '),
      element('a', { href: termAddress(slug) }, words(termLinkLabel)),
    ),
  ]
}

const schema: SanitizeSchema = {
  tagNames: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'hr', 'br'],
    ...['em', 'strong', 'del', 'a', 'img', 'figure', 'figcaption', 'div'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  attributes: {
    a: ['href', 'title', ['target', '_blank'], ['rel', 'noopener', 'noreferrer']],
    img: [
      ...['src', 'alt', 'title', 'width', 'height', ['loading', 'lazy'], ['decoding', 'async']],
      ['referrerPolicy', 'no-referrer'],
      ['style', /^max-width:min\(100%,\d{1,4}px\)$/],
    ] as [string, ...(string | RegExp)[]][],
    ol: ['start'],
    th: [
      ['align', 'left', 'right', 'center'],
      ['scope', 'col'],
    ],
    td: [['align', 'left', 'right', 'center']],
    div: [
      ['className', 'table-scroll'],
      ['tabIndex', 0],
      ['role', 'region'],
      ['ariaLabel', 'Table'],
    ],
  },
  protocols: { href: ['http', 'https', 'ftp', 'mailto'], src: ['http', 'https'] },
  strip: ['script', 'style'],
  required: {},
  clobber: [],
  clobberPrefix: '',
}

/**
 * Turns footnotes into paragraphs, since their marks would need ids that are unique on the page. Gives "www." links
 * https.
 */
function prepareTree(node: MarkdownNode): void {
  if (node.type === 'link') preferHttps(node)
  if (!node.children) return
  node.children.forEach(prepareTree)
  node.children = node.children.flatMap((child) => {
    if (child.type === 'footnoteReference') return [markOf(child)]
    if (child.type !== 'footnoteDefinition') return [child]
    const [first, ...rest] = child.children ?? []
    const isParagraph = first?.type === 'paragraph'
    const opening = [markOf(child), { type: 'text', value: ' ' }, ...((isParagraph && first.children) || [])]
    return [{ type: 'paragraph', children: opening }, ...(first && !isParagraph ? [first] : []), ...rest]
  })
}

function markOf({ label, identifier }: MarkdownNode): MarkdownNode {
  return { type: 'text', value: `[${label ?? identifier}]` }
}

function offsetFor(tree: HtmlRoot, { headingOffset = 1, headingsFrom }: Options): number {
  if (headingsFrom === undefined) return headingOffset
  const levels = tree.children.flatMap((child) =>
    child.type === 'element' && /^h[1-6]$/.test(child.tagName) ? [Number(child.tagName[1])] : [],
  )
  return headingsFrom - Math.min(headingsFrom, ...levels)
}

function shapeChildren(parent: HtmlRoot | HtmlElement, options: Options): void {
  const shaped: HtmlNode[] = []
  for (const child of parent.children) {
    if (child.type !== 'element') {
      shaped.push(child)
      continue
    }
    shapeChildren(child, options)
    shaped.push(...shape(child, options))
  }
  parent.children = shaped
}

/** The nodes that replace an element. */
function shape(element: HtmlElement, { headingOffset = 1, linkTo }: Options): HtmlNode[] {
  const { tagName, properties, children } = element
  if (/^h[1-6]$/.test(tagName)) {
    return [{ ...element, tagName: `h${Math.min(6, Number(tagName[1]) + headingOffset)}` }]
  }
  if (tagName === 'a') return linkOf(element, linkTo)
  if (tagName === 'img') return imageOf(element)
  if (tagName === 'input') return [{ type: 'text', value: properties.checked ? '☑' : '☐' }]
  if (tagName === 'p') return paragraphOf(element)
  if (tagName === 'th') return [{ ...element, properties: { ...properties, scope: 'col' } }]
  if (tagName === 'table') {
    const properties = { className: 'table-scroll', tabIndex: 0, role: 'region', ariaLabel: 'Table' }
    return [{ type: 'element', tagName: 'div', properties, children: [element] }]
  }
  return [{ ...element, children }]
}

function linkOf(element: HtmlElement, linkTo: Options['linkTo']): HtmlNode[] {
  const { href, title } = element.properties
  if (typeof href !== 'string' || !isSafeLink(href)) return element.children
  const properties = { href: linkTo ? linkTo(href) : href, title, target: '_blank', rel: ['noopener', 'noreferrer'] }
  return [{ ...element, properties }]
}

function imageOf({ properties }: HtmlElement): HtmlNode[] {
  const image = readMarkdownImage({
    url: String(properties.src ?? ''),
    alt: String(properties.alt ?? ''),
    title: typeof properties.title === 'string' ? properties.title : null,
  })
  if (!isSafeImage(image.src)) return image.altText ? [{ type: 'text', value: image.altText }] : []
  return [
    {
      type: 'element',
      tagName: 'img',
      properties: {
        src: image.src,
        alt: image.altText,
        // Beside text, a caption is the image's title. Alone, paragraphOf turns it into words below the image.
        title: image.showCaption && image.caption ? image.caption : undefined,
        width: image.width ?? undefined,
        height: image.height ?? undefined,
        style: `max-width:min(100%,${image.maxWidth}px)`,
        loading: 'lazy',
        decoding: 'async',
        referrerPolicy: 'no-referrer',
      },
      children: [],
    },
  ]
}

/** Turns a paragraph with nothing but a captioned image into a figure. */
function paragraphOf(element: HtmlElement): HtmlNode[] {
  const [only, ...others] = element.children
  if (others.length > 0 || only?.type !== 'element' || only.tagName !== 'img' || !only.properties.title)
    return [element]
  const { title, ...properties } = only.properties
  const caption: HtmlElement = {
    type: 'element',
    tagName: 'figcaption',
    properties: {},
    children: [{ type: 'text', value: String(title) }],
  }
  return [{ type: 'element', tagName: 'figure', properties: {}, children: [{ ...only, properties }, caption] }]
}

function plainHtml(text: string): string {
  const paragraphs = text.split(/\n[ \t]*\n/).filter((paragraph) => paragraph.trim() !== '')
  const children = paragraphs.map((paragraph): HtmlElement => {
    return { type: 'element', tagName: 'p', properties: {}, children: [{ type: 'text', value: paragraph }] }
  })
  const tree: HtmlRoot = { type: 'root', children }
  const writer = unified().use(rehypeStringify)
  return writer.stringify(tree as Parameters<typeof writer.stringify>[0])
}

/** Puts the address of each link behind its words, unless they are the address. */
function addAddresses(node: MarkdownNode): void {
  const { url, children } = node
  children?.forEach(addAddresses)
  if (node.type !== 'link' || !url || !children || !isSafeLink(url)) return
  const words = textOf(node)
  if (words !== url && `mailto:${words}` !== url) children.push({ type: 'text', value: ` (${url})` })
}

const blocks = new Set(['root', 'blockquote'])

function textOf(node: MarkdownNode): string {
  if (node.type === 'html' || node.type === 'definition') return ''
  if (node.type === 'break') return '\n'
  if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? ''
  if (!node.children) return node.value ?? ''
  const parts = node.children.map(textOf)
  if (node.type === 'tableRow') return parts.join('\t')
  if (node.type === 'listItem') return `- ${parts.join('\n')}`
  if (node.type === 'list' || node.type === 'table') return parts.join('\n')
  return parts.join(blocks.has(node.type) ? '\n\n' : '')
}
