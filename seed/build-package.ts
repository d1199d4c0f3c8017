/**
 * Turns a folder of Markdown into a cmi5 package. Each numbered file becomes a unit, with pages separated by `---` and
 * its figures and films beside it. Fenced blocks named `quiz` are questions, those named `film` are films. The player
 * is bundled with one of the two published cmi5 client libraries.
 */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import matter from 'gray-matter'
import rehypeSanitize from 'rehype-sanitize'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { ZipFile } from 'yazl'
import { brands, type SiteKey } from '../app/config/brands.ts'
import { type CoverPalette, coverPalettes } from '../app/lib/cover.ts'

export type ModuleSource = {
  name: string
  chapter: string
  description: string
  tags: string[]
  /** The drawing on its cover and a description of it. */
  motif: string
  cover: string
  status: 'published' | 'draft' | 'coming soon'
  client: 'rustici' | 'xapi'
  /** The only site that has it; both if it is left out. */
  site?: SiteKey
  folder: string
  units: UnitSource[]
}

export type UnitSource = { id: string; title: string; moveOn: string; masteryScore: number | null; markdown: string }

const fonts = ['stix-two-text-latin-wght-normal.woff2', 'atkinson-hyperlegible-next-latin-wght-normal.woff2']
const clients = ['rustici', 'xapi']
const statuses = ['published', 'draft', 'coming soon']
const media = /\.(svg|png|mp4|webm|vtt)$/

/** `folder` holds module.md and the numbered units. */
export async function readModuleSource(folder: string): Promise<ModuleSource> {
  const files = (await readdir(folder)).sort()
  const { data } = matter(await readFile(path.join(folder, 'module.md'), 'utf8'))
  if (!clients.includes(data.client))
    throw new Error(`${folder}/module.md: client must be one of ${clients.join(', ')}`)
  if (!statuses.includes(data.status))
    throw new Error(`${folder}/module.md: status must be one of ${statuses.join(', ')}`)
  if (data.site !== undefined && !Object.hasOwn(brands, data.site))
    throw new Error(`${folder}/module.md: site must be one of ${Object.keys(brands).join(', ')}`)
  const units = await Promise.all(
    files
      .filter((file) => /^\d+-.*\.md$/.test(file))
      .map(async (file) => {
        const unit = matter(await readFile(path.join(folder, file), 'utf8'))
        const { title, moveOn, masteryScore } = unit.data
        return {
          id: file.replace(/\.md$/, ''),
          title,
          moveOn,
          masteryScore: masteryScore ?? null,
          markdown: unit.content,
        }
      }),
  )
  const { name, chapter, description, tags, motif, cover, status, client, site } = data
  return { name, chapter, description, tags, motif, cover, status, client, site, folder, units }
}

/**
 * The package as a zip, written while it is read. The player uses the colors of the palette. `players` holds the player
 * bundles.
 */
export async function buildPackage(source: ModuleSource, players: string, palette: CoverPalette): Promise<Readable> {
  const zip = new ZipFile()
  zip.addBuffer(Buffer.from(courseStructure(source)), 'cmi5.xml')
  zip.addFile(path.join(players, `${source.client}.js`), 'player.js')
  zip.addFile(path.join(players, 'player.css'), 'player.css')
  for (const font of fonts) zip.addFile(path.join('public/fonts', font), `fonts/${font}`)
  const labeled = new Set<string>()
  for (const file of (await readdir(source.folder)).filter((name) => media.test(name))) {
    const from = path.join(source.folder, file)
    if (!file.endsWith('.svg')) {
      zip.addFile(from, `figures/${file}`)
      continue
    }
    const svg = await readFile(from, 'utf8')
    if (svg.includes('<text')) labeled.add(file)
    zip.addBuffer(Buffer.from(recolor(svg, palette)), `figures/${file}`)
  }
  for (const unit of source.units)
    zip.addBuffer(Buffer.from(await unitPage(unit, palette, labeled)), `${unit.id}/index.html`)
  zip.end()
  return zip.outputStream as Readable
}

/** Figures are drawn in Titrate's colors; another brand gets its own. */
function recolor(svg: string, palette: CoverPalette): string {
  if (palette === 'titrate') return svg
  const colors = new Map(Object.entries({ '#10292c': '#131d36', '#718889': '#7a859c', '#eaf1f0': '#eceff6' }))
  for (const [phase, tones] of Object.entries(coverPalettes.titrate)) {
    const others: Record<string, string> = coverPalettes[palette][phase as keyof typeof coverPalettes.titrate]
    for (const [tone, color] of Object.entries(tones)) colors.set(color, others[tone] ?? color)
  }
  return svg.replace(/#[0-9a-f]{6}\b/g, (color) => colors.get(color) ?? color)
}

function courseStructure(source: ModuleSource): string {
  const base = `https://titrate.example/packages/${path.basename(source.folder)}`
  const text = (tag: string, value: string) =>
    `<${tag}><langstring lang="en">${escapeMarkup(value)}</langstring></${tag}>`
  const units = source.units.map(
    (unit) => `
    <au id="${base}/${unit.id}" moveOn="${unit.moveOn}"${unit.masteryScore === null ? '' : ` masteryScore="${unit.masteryScore}"`}>
      ${text('title', unit.title)}${text('description', unit.title)}
      <url>${unit.id}/index.html</url>
    </au>`,
  )
  const body =
    units.length === 1
      ? units.join('')
      : `<block id="${base}/units">${text('title', source.name)}${text('description', source.description)}${units.join('')}</block>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<courseStructure xmlns="https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd">
  <course id="${base}">${text('title', source.name)}${text('description', source.description)}</course>
  ${body}
</courseStructure>
`
}

async function unitPage(unit: UnitSource, palette: CoverPalette, labeled: Set<string>): Promise<string> {
  const pages = await Promise.all(pagesOf(unit.markdown).map((page) => renderPage(page, labeled)))
  const sections = pages.map((page) => `<section data-page hidden>${page}</section>`)
  return `<!doctype html>
<html lang="en" data-brand="${palette}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(unit.title)}</title>
<link rel="stylesheet" href="../player.css">
</head>
<body>
<p id="status" role="status"></p>
<noscript>
<style>[data-page][hidden] { display: block !important } [data-page] + [data-page] { margin-top: 3rem } form button, body > footer { display: none }</style>
<p class="notice">This unit needs JavaScript: it records what you do through it. Please allow it for this page. Without it you can read it, and nothing is recorded.</p>
</noscript>
<main aria-label="Unit">${sections.join('\n')}</main>
<footer>
<button type="button" id="back">Back</button>
<p><span class="word">Page</span> <span id="place"></span></p>
<button type="button" id="next" class="primary">Next</button>
<button type="button" id="exit">Save and exit</button>
</footer>
<script src="../player.js"></script>
</body>
</html>
`
}

const markdown = unified()
  .use(remarkParse)
  .use(remarkGfm, { singleTilde: false })
  .use(remarkRehype)
  .use(rehypeSanitize)
  .use(rehypeStringify)

/** `labeled` are the figures with words in them, which keep a size on phones at which one can read them. */
async function renderPage(source: string, labeled: Set<string>): Promise<string> {
  const films: string[] = []
  const questions: string[] = []
  const text = source
    .replace(quizBlock, (_, block: string) => {
      questions.push(renderQuestion(block))
      return ''
    })
    .replace(/```film\n([\s\S]*?)```/g, (_, block: string) => {
      films.push(renderFilm(block))
      return ''
    })
  const html = String(await markdown.process(text))
    .replace(/<img src="([\w-]+\.svg)"[^>]*>/g, (image, file) => {
      const figure = image.replace(`"${file}"`, `"../figures/${file}"`)
      return labeled.has(file) ? `<span class="figure">${figure}</span>` : figure
    })
    .replace(/~([^~<]{1,12})~/g, '<sub>$1</sub>')
    .replace(/\^([^^<]{1,12})\^/g, '<sup>$1</sup>')
    .replace('<h1>', '<h1 tabindex="-1">')
  return [html, ...films, ...questions].join('')
}

/**
 * Renders a film block: `file:` (the name without its extension), `size:` and `title:` lines, then a blank line and the
 * transcript, one paragraph per scene. The film does not play by itself, and a unit can be completed without it.
 */
function renderFilm(block: string): string {
  const [head = '', ...scenes] = block.trim().split(/\n{2,}/)
  const value = (key: string) => escapeMarkup(new RegExp(`^${key}:\\s*(.*)$`, 'm').exec(head)?.[1] ?? '')
  const address = `../figures/${value('file')}`
  const [width, height] = value('size').split('x')
  const transcript = scenes.map((scene) => `<p>${escapeMarkup(scene.replaceAll('\n', ' '))}</p>`)
  return `<figure class="film">
<video controls preload="metadata" playsinline poster="${address}.png" width="${width}" height="${height}" aria-label="${value('title')}">
<source src="${address}.mp4" type="video/mp4">
<source src="${address}.webm" type="video/webm">
<track kind="captions" src="${address}.vtt" srclang="en" label="English" default>
</video>
<figcaption>${value('title')}</figcaption>
</figure>
<details class="transcript"><summary>Transcript of the film</summary>${transcript.join('')}</details>`
}

export type Question = {
  id: string
  text: string
  choices: { id: string; text: string }[]
  /** The ids of the right choices. */
  correct: string[]
  explanation: string
}

/** What a unit asks, page by page. */
export function questionsByPage(markdown: string): Question[][] {
  return pagesOf(markdown).map((page) => [...page.matchAll(quizBlock)].map(([, block = '']) => readQuestion(block)))
}

const quizBlock = /```quiz\n([\s\S]*?)```/g

function pagesOf(markdown: string): string[] {
  return markdown.split(/\n---\n/)
}

/** Reads a question block: an `id:` line, the question, `- [x]` and `- [ ]` choices, and a `>` explanation. */
function readQuestion(block: string): Question {
  const lines = block.trim().split('\n')
  const choices = lines.flatMap((line) => {
    const match = /^- \[([ x])\] (.*)$/.exec(line)
    return match ? [{ isCorrect: match[1] === 'x', text: match[2] ?? '' }] : []
  })
  const idOf = (index: number) => `choice-${index + 1}`
  return {
    id: lines[0]?.replace(/^id:\s*/, '') ?? '',
    text: lines[1] ?? '',
    choices: choices.map(({ text }, index) => ({ id: idOf(index), text })),
    correct: choices.flatMap((choice, index) => (choice.isCorrect ? [idOf(index)] : [])),
    explanation: lines
      .filter((line) => line.startsWith('> '))
      .map((line) => line.slice(2))
      .join(' '),
  }
}

/** More than one right answer makes tick boxes. */
function renderQuestion(block: string): string {
  const { id, text, choices, correct, explanation } = readQuestion(block)
  const type = correct.length > 1 ? 'checkbox' : 'radio'
  const inputs = choices.map(
    (choice) =>
      `<label><input type="${type}" name="${escapeMarkup(id)}" value="${choice.id}"> <span>${escapeMarkup(choice.text)}</span></label>`,
  )
  return `<form data-question="${escapeMarkup(id)}" data-correct="${correct.join(',')}" data-explanation="${escapeMarkup(explanation)}">
<fieldset><legend>${escapeMarkup(text)}</legend>${inputs.join('')}</fieldset>
<button class="primary">Answer</button><output></output></form>`
}

function escapeMarkup(value: string): string {
  return value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
