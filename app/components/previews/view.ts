import type { FilmPreviewView } from '../console/films/view.ts'
import type { CourseDetails } from '../courses/view.ts'

export type PreviewPageView = {
  /** Whose view it is: the name of a plan. */
  planName: string
  name: string
  /** Whether learners of the plan can open it, in one sentence. */
  access: string
  /** Where staff edit it; null for everybody else. */
  editAddress: string | null
  course: { details: CourseDetails & { startedOn: null }; tags: string[]; access: Record<string, string> } | null
  film: FilmPreviewView | null
}
