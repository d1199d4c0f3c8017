/** Where the parts of an outline are, and how sorting changes it. */
import type { Outline } from '~/forms/course-outline.ts'
import type { SortableItem } from '../sortable/sortable-list.tsx'

export function nameIn(outline: Outline, uid: string): string | undefined {
  return outline.flatMap((section) => [section, ...section.chapters]).find((part) => part.uid === uid)?.name
}

/** The name of the section of a chapter, or of the chapter of a module. */
export function parentNameIn(outline: Outline, uid: string): string {
  const section = outline.find(({ chapters }) => chapters.some((chapter) => chapter.uid === uid))
  const chapter = outline.flatMap(({ chapters }) => chapters).find(({ moduleUids }) => moduleUids.includes(uid))
  return (section ?? chapter)?.name || 'the new part'
}

/** Whether a chapter can go on to another section, or a module to another chapter. */
export function canStepBeyond(outline: Outline, uid: string, step: 'up' | 'down'): boolean {
  const chapters = outline.flatMap((section) => section.chapters)
  const section = outline.findIndex((one) => one.chapters.some((chapter) => chapter.uid === uid))
  const [index, count] =
    section >= 0
      ? [section, outline.length]
      : [chapters.findIndex(({ moduleUids }) => moduleUids.includes(uid)), chapters.length]
  return index >= 0 && (step === 'up' ? index > 0 : index < count - 1)
}

/** Puts the chapters of a section, and the modules inside them, in the order of the sorted items. */
export function withChapters(outline: Outline, sectionUid: string, items: SortableItem[]): Outline {
  return outline.map((section) => {
    if (section.uid !== sectionUid) return section
    const chapters = items.flatMap(({ uid, inside = [] }) => {
      const chapter = section.chapters.find((one) => one.uid === uid)
      return chapter ? [{ ...chapter, moduleUids: inside.map((module) => module.uid) }] : []
    })
    return { ...section, chapters }
  })
}
