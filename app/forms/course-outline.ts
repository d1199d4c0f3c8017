/**
 * The sections, chapters and modules of a course in its form. The form sends them as one text in their order
 * (`outline`), and the name and description of each section and chapter in fields of their own. Without JavaScript each
 * button of the builder posts the form (`build`), and the server applies the same step as the browser would.
 */
import { isUid } from '~/lib/uid.ts'

export type OutlineChapter = { uid: string; name: string; description: string; moduleUids: string[] }
export type OutlineSection = { uid: string; name: string; description: string; chapters: OutlineChapter[] }
export type Outline = OutlineSection[]

export type PartField = 'name' | 'description'

/** The name of the field that holds a text of a section or chapter. */
export function partField(uid: string, field: PartField): string {
  return `part-${uid}-${field}`
}

/** Writes the order: `s` begins a section, `c` a chapter of it, and `m` is a module of that chapter. */
export function writeOutline(outline: Outline): string {
  return outline
    .flatMap((section) => [
      `s${section.uid}`,
      ...section.chapters.flatMap((chapter) => [`c${chapter.uid}`, ...chapter.moduleUids.map((uid) => `m${uid}`)]),
    ])
    .join(' ')
}

type Fields = { get(name: string): FormDataEntryValue | null }

/** The longest outline that a form may send: the most sections, chapters and modules together. */
const mostEntries = 450

/**
 * Reads what a form has sent. Returns null if there is no outline, or one that cannot be read: to take that for a course
 * without sections would remove them.
 */
export function readOutline(fields: Fields): Outline | null {
  const text = (name: string) => {
    const value = fields.get(name)
    return typeof value === 'string' ? value : ''
  }
  if (typeof fields.get('outline') !== 'string') return null
  const entries = text('outline').toLowerCase().match(/\S+/g) ?? []
  if (entries.length > mostEntries || new Set(entries).size < entries.length) return null
  const outline: Outline = []
  for (const entry of entries) {
    const [kind, uid] = [entry.slice(0, 1), entry.slice(1)]
    if (!isUid(uid)) return null
    const part = { uid, name: text(partField(uid, 'name')), description: text(partField(uid, 'description')) }
    const section = outline.at(-1)
    const chapter = section?.chapters.at(-1)
    if (kind === 's') outline.push({ ...part, chapters: [] })
    else if (kind === 'c' && section) section.chapters.push({ ...part, moduleUids: [] })
    else if (kind === 'm' && chapter) chapter.moduleUids.push(uid)
    else return null
  }
  return outline
}

export type BuildStep =
  | { kind: 'add-section'; uid: string }
  | { kind: 'add-chapter'; uid: string; section: string }
  | { kind: 'add-modules'; chapter: string; moduleUids: readonly string[] }
  | { kind: 'up' | 'down' | 'remove'; uid: string }

/** Applies a step of the builder. A step that is not possible changes nothing. */
export function applyBuild(outline: Outline, step: BuildStep): Outline {
  switch (step.kind) {
    case 'add-section':
      return [...outline, { uid: step.uid, name: '', description: '', chapters: [] }]
    case 'add-chapter':
      return withSection(outline, step.section, (section) => ({
        ...section,
        chapters: [...section.chapters, { uid: step.uid, name: '', description: '', moduleUids: [] }],
      }))
    case 'add-modules': {
      const present = new Set(modulesOf(outline))
      const added = [...new Set(step.moduleUids)].filter((uid) => !present.has(uid))
      return withChapter(outline, step.chapter, (chapter) => ({
        ...chapter,
        moduleUids: [...chapter.moduleUids, ...added],
      }))
    }
    case 'remove':
      return withoutPart(outline, step.uid)
    default:
      return movePart(outline, step.uid, step.kind)
  }
}

/** The uids of all modules, in order. */
export function modulesOf(outline: Outline): string[] {
  return outline.flatMap(({ chapters }) => chapters.flatMap(({ moduleUids }) => moduleUids))
}

function withSection(outline: Outline, uid: string, change: (section: OutlineSection) => OutlineSection): Outline {
  return outline.map((section) => (section.uid === uid ? change(section) : section))
}

function withChapter(outline: Outline, uid: string, change: (chapter: OutlineChapter) => OutlineChapter): Outline {
  return outline.map((section) => ({
    ...section,
    chapters: section.chapters.map((chapter) => (chapter.uid === uid ? change(chapter) : chapter)),
  }))
}

function withoutPart(outline: Outline, uid: string): Outline {
  return outline
    .filter((section) => section.uid !== uid)
    .map((section) => ({
      ...section,
      chapters: section.chapters
        .filter((chapter) => chapter.uid !== uid)
        .map((chapter) => ({ ...chapter, moduleUids: chapter.moduleUids.filter((module) => module !== uid) })),
    }))
}

/**
 * Moves a part one step. The first chapter of a section moves up to the end of the section before, and the last one down
 * to the beginning of the next; modules do the same between all chapters of the course.
 */
function movePart(outline: Outline, uid: string, step: 'up' | 'down'): Outline {
  const section = outline.findIndex((one) => one.uid === uid)
  if (section >= 0) return swapped(outline, section, step)
  const lists = outline.map(({ chapters }) => chapters)
  const chapters = moveAcross(lists, (chapter) => chapter.uid === uid, step)
  if (chapters) return outline.map((one, index) => ({ ...one, chapters: chapters[index] ?? [] }))
  const modules = moveAcross(
    outline.flatMap((one) => one.chapters.map(({ moduleUids }) => moduleUids)),
    (module) => module === uid,
    step,
  )
  if (!modules) return outline
  const rest = [...modules]
  return outline.map((one) => ({
    ...one,
    chapters: one.chapters.map((chapter) => ({ ...chapter, moduleUids: rest.shift() ?? [] })),
  }))
}

function swapped<Item>(list: Item[], index: number, step: 'up' | 'down'): Item[] {
  const other = step === 'up' ? index - 1 : index + 1
  const [one, two] = [list[index], list[other]]
  if (one === undefined || two === undefined) return list
  return list.map((item, place) => (place === index ? two : place === other ? one : item))
}

/** Moves an item within its list or into the next one. Returns null if no list has it. */
function moveAcross<Item>(lists: Item[][], isIt: (item: Item) => boolean, step: 'up' | 'down'): Item[][] | null {
  const from = lists.findIndex((list) => list.some(isIt))
  const list = lists[from]
  if (!list) return null
  const index = list.findIndex(isIt)
  const item = list[index] as Item
  const isAtEnd = index === (step === 'up' ? 0 : list.length - 1)
  if (!isAtEnd) return lists.map((one) => (one === list ? swapped(list, index, step) : one))
  const to = step === 'up' ? from - 1 : from + 1
  if (!lists[to]) return lists
  return lists.map((one, place) => {
    if (place === from) return one.filter((other) => !isIt(other))
    if (place !== to) return one
    return step === 'up' ? [...one, item] : [item, ...one]
  })
}
