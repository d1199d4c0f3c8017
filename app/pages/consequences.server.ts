/** What the removal of content means for people and for other content, one sentence each. */
import { peopleInWords } from '~/components/console/modules/people-in-module.ts'
import type { PeopleInModule } from '~/services/cmi5/cmi5.server.ts'
import type { CourseConsequences, ModuleConsequences } from '~/services/read/consequences.server.ts'

export function counted(number: number, one: string, many: string): string {
  return number === 1 ? `1 ${one}` : `${number.toLocaleString('en')} ${many}`
}

/** Learners in the middle of something; null if there are none. */
export function inProgressInWords({ inProgress }: { inProgress: number }, noun: string): string | null {
  return inProgress === 0 ? null : `${counted(inProgress, 'learner is', 'learners are')} in the middle of this ${noun}`
}

/** Completions, assignments and saved items of a course or module. */
export function recordsInWords({
  completed,
  assignments,
  favorites,
}: Pick<CourseConsequences, 'completed' | 'assignments' | 'favorites'>): string[] {
  return [
    completed > 0 && `${counted(completed, 'learner has', 'learners have')} completed it. Their records are kept.`,
    assignments > 0 && `${counted(assignments, 'assignment disappears', 'assignments disappear')}.`,
    favorites > 0 && `${counted(favorites, 'learner loses', 'learners lose')} it from their saved items.`,
  ].filter((sentence) => typeof sentence === 'string')
}

/** What the removal of a module means. `people` are those who have an attempt, and who has it open right now. */
export function moduleConsequencesInWords(consequences: ModuleConsequences, people: PeopleInModule): string[] {
  const inTheMiddle = peopleInWords(people)
  const { courses } = consequences
  return [
    ...(inTheMiddle ? [`${inTheMiddle}. They cannot continue.`] : []),
    ...recordsInWords(consequences),
    ...(courses > 0
      ? [`${counted(courses, 'course contains', 'courses contain')} it, and ${courses === 1 ? 'loses' : 'lose'} it.`]
      : []),
    'All related CMI5 content is removed with it.',
    'This may affect the progress of learners who have started it.',
    'You can undo this for thirty days.',
  ]
}
