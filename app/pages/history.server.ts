/** The history of content in the console: its pages, what changed in each revision, and the question before a restore. */
import type { FieldChange, HistoryView, RestoreView, RevisionView } from '~/components/console/history/view.ts'
import type { CourseValues } from '~/forms/courses.ts'
import {
  type ComparedField,
  type HistoryKind,
  historyEventsOf,
  historyFields,
  historyNames,
  historyPage,
  isUntouched,
} from '~/forms/history.ts'
import { languageName, usualLanguage } from '~/lib/caption-languages.ts'
import { formatMoment } from '~/lib/dates.ts'
import { diffLists, diffWords, shortenSame, type TextPart } from '~/lib/differences.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { cutText } from '~/lib/text.ts'
import type { Ctx } from '~/services/context.ts'
import type { MediaFields } from '~/services/films/media-fields.server.ts'
import {
  findPartsOfHistory,
  type HistoryEntry,
  listHistory,
  planRevisionRestore,
} from '~/services/history/history.server.ts'
import { outlineChanges } from './outline-changes.server.ts'

type Of = { kind: HistoryKind; uid: string }
type Values = Record<string, unknown>
type Parts = Awaited<ReturnType<typeof findPartsOfHistory>>

/** Reads a page of the history, for those who may edit the content. */
export async function getHistoryView(ctx: Ctx, { kind, uid, url }: Of & { url: string }): Promise<HistoryView> {
  const page = pageNumber(new URL(url).searchParams.get(historyPage))
  const history = await listHistory(ctx, { kind, uid, page })
  const { entries, isDeleted, isFixed } = history
  const parts = await findParts(
    ctx,
    kind,
    entries.flatMap(({ before, after }) => [before, after]),
  )
  const paths = pathsOf(kind, history.uid)
  const view = (entry: HistoryEntry): RevisionView => {
    const isPresent = entry.revision === history.revision
    const event = entry.action.split('.').at(-1) ?? ''
    return {
      id: entry.id,
      what: historyEventsOf(kind)[event] ?? event.replaceAll('_', ' '),
      by: entry.by,
      at: formatMoment(entry.at, ctx.site.timeZone),
      // A removal notes the name of what it removes.
      changes: isOfTrash(event) ? [] : changesOf(kind, entry, parts),
      isPresent,
      restore:
        entry.revision === null || isPresent || isDeleted || isFixed ? null : `${paths.history}${entry.revision}/`,
    }
  }
  return {
    name: history.name,
    noun: historyNames[kind].noun,
    isDeleted,
    path: paths.history,
    closeTo: isDeleted ? '/dashboard/trash/' : paths.item,
    revisions: entries.map(view),
    page,
    size: history.size,
    total: history.total,
  }
}

function isOfTrash(event: string): boolean {
  return event === 'deleted' || event === 'restored'
}

/** Reads what bringing a revision back would change, for those who may edit the content. */
export async function getRestoreView(ctx: Ctx, of: Of & { revision: number }): Promise<RestoreView> {
  const { now, changes, leftOut, saved } = await planRevisionRestore(ctx, of)
  const state = now.state as Values
  const before = Object.fromEntries(Object.keys(changes).map((field) => [field, state[field]]))
  const parts = await findParts(ctx, of.kind, [before, changes as Values])
  return {
    name: String(state.name),
    noun: historyNames[of.kind].noun,
    closeTo: pathsOf(of.kind, of.uid).history,
    opened: now.revision,
    saved: saved && { by: saved.by, at: formatMoment(saved.at, ctx.site.timeZone) },
    changes: changesOf(of.kind, { before, after: changes as Values }, parts),
    leftOut,
  }
}

export function pathsOf(kind: HistoryKind, uid: string): { item: string; history: string } {
  const item = `/dashboard/${historyNames[kind].section}/${uid}/`
  return { item, history: `${item}history/` }
}

/** Finds the names of everything that these values refer to. */
function findParts(ctx: Ctx, kind: HistoryKind, states: Values[]): Promise<Parts> {
  const valuesBy = (by: ComparedField['by']) =>
    Object.entries(historyFields[kind])
      .filter(([, field]) => field.by === by)
      .flatMap(([name]) => states.map((state) => state[name]))
  const sections = valuesBy('sections').flatMap(sectionsIn)
  return findPartsOfHistory(ctx, {
    plans: valuesBy('plans').flatMap(textsIn),
    chapters: valuesBy('chapter').flatMap(textsIn),
    files: [
      ...valuesBy('file').flatMap(textsIn),
      ...valuesBy('captions')
        .flatMap(captionsIn)
        .map(({ file }) => file),
    ],
    modules: sections.flatMap(({ chapters }) => chapters.flatMap(({ moduleUids }) => moduleUids)),
  })
}

function changesOf(kind: HistoryKind, entry: { before: Values; after: Values }, parts: Parts): FieldChange[] {
  const isFirst = Object.keys(entry.before).length === 0
  return Object.entries(historyFields[kind]).flatMap(([name, field]) => {
    if (!(name in entry.before) && !(name in entry.after)) return []
    if (isFirst && isUntouched(name, field, entry.after[name])) return []
    return changeOf(field, entry.before[name], entry.after[name], parts)
  })
}

function changeOf({ label, by, names }: ComparedField, before: unknown, after: unknown, parts: Parts): FieldChange[] {
  if (by === 'sections') {
    return outlineChanges(
      sectionsIn(before),
      sectionsIn(after),
      (uid) => parts.modules.get(uid)?.name ?? 'a module that is gone',
    )
  }
  if (by === 'words') {
    if ((before ?? '') === (after ?? '')) return []
    return [{ label, kind: 'words', parts: shortenSame(diffWords(textOf(before), textOf(after))).map(cutPart) }]
  }
  if (by === 'lines' || by === 'tags' || by === 'plans') {
    const nameOf = (item: string) => (by === 'plans' ? (parts.plans.get(item)?.name ?? 'a group that is gone') : item)
    const items = diffLists(textsIn(before), textsIn(after), by === 'lines')
    return items.length === 0
      ? []
      : [{ label, kind: 'list', items: items.map(({ item, is }) => ({ text: nameOf(item), is })) }]
  }
  if (by === 'captions') {
    const [old, fresh] = [before, after].map((value) =>
      captionsIn(value).map(({ language, file }) => `${language} ${file}`),
    )
    const items = diffLists(old ?? [], fresh ?? [], true)
    return items.length === 0
      ? []
      : [{ label, kind: 'list', items: items.map(({ item, is }) => ({ text: captionsInWords(item, parts), is })) }]
  }
  const [one, other] = [before, after].map((value) => names?.[textOf(value)] ?? inWords(by, value, parts)) as [
    string,
    string,
  ]
  // Two files may have the same name.
  if (before === after || (one === other && (by !== 'file' || one === ''))) return []
  return [{ label, kind: 'value', before: one, after: other }]
}

function inWords(by: ComparedField['by'], value: unknown, parts: Parts): string {
  if (value === undefined || value === null || value === '') return ''
  if (by === 'tick') return value ? 'Yes' : 'No'
  if (by === 'minutes') return `${value} min`
  if (by === 'chapter') return parts.chapters.get(String(value))?.name ?? 'A chapter that is gone'
  if (by === 'file') return parts.files.get(String(value))?.name ?? 'A file that is no longer stored'
  return textOf(value)
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : String(value)
}

function textsIn(value: unknown): string[] {
  return [value].flat().filter((item) => typeof item === 'string')
}

/** Earlier builds knew only one file, which was English. */
function captionsIn(value: unknown): MediaFields['captions'] {
  if (typeof value === 'string') return value === '' ? [] : [{ language: usualLanguage, file: value }]
  return Array.isArray(value) ? value : []
}

/** "German: lecture.de.vtt". */
function captionsInWords(item: string, parts: Parts): string {
  const [language = '', file = ''] = item.split(' ')
  return `${languageName(language)}: ${parts.files.get(file)?.name ?? 'a file that is no longer stored'}`
}

/** Nobody reads a long text to its end here. */
const longestPart = 2000

function cutPart(part: TextPart): TextPart {
  return part.text.length <= longestPart ? part : { ...part, text: `${cutText(part.text, longestPart)} …` }
}

function sectionsIn(value: unknown): CourseValues['sections'] {
  return Array.isArray(value) ? value : []
}
