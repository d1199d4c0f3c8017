/** What changed in the sections of a course: parts that were added, removed, moved or renamed, and their descriptions. */
import type { FieldChange, ListItem } from '~/components/console/history/view.ts'
import type { CourseValues } from '~/forms/courses.ts'
import { diffLists, diffWords, shortenSame } from '~/lib/differences.ts'

type Sections = CourseValues['sections']

/** A section, chapter or module with its place. Texts are empty for modules, whose names belong to them. */
type Part = { key: string; noun: string; name: string; description: string; parent: string }

export function outlineChanges(before: Sections, after: Sections, nameOf: (uid: string) => string): FieldChange[] {
  const [old, fresh] = [partsOf(before, nameOf), partsOf(after, nameOf)]
  const kept = [...fresh.values()].flatMap((part) => {
    const was = old.get(part.key)
    return was ? [{ part, was }] : []
  })
  const within = (parts: Map<string, Part>, parent: string) => {
    const stays = new Set(kept.filter(({ part, was }) => part.parent === was.parent).map(({ part }) => part.key))
    return [...parts.values()].filter((part) => part.parent === parent && stays.has(part.key)).map(({ key }) => key)
  }
  const parents = new Set(kept.map(({ part }) => part.parent))
  const reordered = new Set(
    [...parents].flatMap((parent) =>
      diffLists(within(old, parent), within(fresh, parent), true).map(({ item }) => item),
    ),
  )
  const items: ListItem[] = [
    ...[...old.values()]
      .filter(({ key }) => !fresh.has(key))
      .map((part) => ({ text: inWords(part, old), is: 'removed' as const })),
    ...[...fresh.values()]
      .filter(({ key }) => !old.has(key))
      .map((part) => ({ text: inWords(part, fresh), is: 'added' as const })),
    ...kept.flatMap(({ part, was }): ListItem[] => {
      if (part.parent !== was.parent) {
        return [{ text: `${titleOf(part)} from ${placeOf(was, old)} to ${placeOf(part, fresh)}`, is: 'moved' }]
      }
      return reordered.has(part.key) ? [{ text: inWords(part, fresh), is: 'moved' }] : []
    }),
    ...kept
      .filter(({ part, was }) => part.name !== was.name)
      .map(({ part, was }) => ({ text: `${titleOf(was)} to “${part.name}”`, is: 'renamed' as const })),
  ]
  const described = kept.filter(({ part, was }) => part.description !== was.description)
  return [
    ...(items.length > 0 ? [{ label: 'Sections', kind: 'list' as const, items }] : []),
    ...described.map(({ part, was }) => ({
      label: `Description of ${titleOf(part)}`,
      kind: 'words' as const,
      parts: shortenSame(diffWords(was.description, part.description)),
    })),
  ]
}

function partsOf(sections: Sections, nameOf: (uid: string) => string): Map<string, Part> {
  const parts = sections.flatMap((section): Part[] => [
    { key: section.uid ?? '', noun: 'section', name: section.name, description: section.description, parent: '' },
    ...section.chapters.flatMap((chapter): Part[] => [
      {
        key: chapter.uid ?? '',
        noun: 'chapter',
        name: chapter.name,
        description: chapter.description,
        parent: section.uid ?? '',
      },
      ...chapter.moduleUids.map((uid) => ({
        key: uid,
        noun: 'module',
        name: nameOf(uid),
        description: '',
        parent: chapter.uid ?? '',
      })),
    ]),
  ])
  return new Map(parts.map((part) => [part.key, part]))
}

function titleOf({ noun, name }: Part): string {
  return `${noun} “${name}”`
}

/** 'module “Reading plates” in “Basics”' */
function inWords(part: Part, all: Map<string, Part>): string {
  return part.parent === '' ? titleOf(part) : `${titleOf(part)} in ${placeOf(part, all)}`
}

function placeOf({ parent }: Part, all: Map<string, Part>): string {
  return `“${all.get(parent)?.name ?? ''}”`
}
