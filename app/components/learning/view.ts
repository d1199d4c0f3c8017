import type { CourseView } from '../courses/view.ts'
import type { FilmView } from '../media/view.ts'
import type { ModuleView } from '../modules/view.ts'

export type ContentKind = 'course' | 'module' | 'video' | 'lecture'

/** A card in the list of all content. */
export type ContentItem =
  | { kind: 'course'; course: CourseView }
  | { kind: 'module'; module: ModuleView }
  | { kind: 'video' | 'lecture'; film: FilmView }
