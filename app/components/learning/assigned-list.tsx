import { Link } from '@remix-run/react'
import type { CourseView } from '../courses/view.ts'
import { useShell } from '../layout/shell.ts'
import { LaunchList } from '../modules/launch-form.tsx'
import type { ModuleView } from '../modules/view.ts'
import { BeyondTheList, Empty } from '../ui/empty.tsx'
import { Pages } from '../ui/pages.tsx'
import { ClosedRow, CourseRow, ModuleRow } from './learn-row.tsx'

type Item = {
  uid: string
  name: string
  kind: 'module' | 'course'
  assignedOn: string
  /** "Due Nov 20, late" */
  due: string | null
  isComingSoon: boolean
  hasAccess: boolean
  module: ModuleView | null
  course: CourseView | null
}
type Props = { items: Item[]; page: number; size: number; total: number }

export function AssignedList({ items, page, size, total }: Props) {
  const { assignedLabel } = useShell().brand
  if (items.length === 0) {
    if (page > 1) return <BeyondTheList icon="path" to="?" />
    return (
      <Empty icon="path" title={`Nothing is ${assignedLabel.toLowerCase()} at the moment`}>
        <p>
          Modules and courses that your program asks you to take appear here. Until then, start with any course or
          module that interests you.
        </p>
        <Link className="btn btn--primary" to="/courses/">
          Go to Courses
        </Link>
      </Empty>
    )
  }
  return (
    <section aria-labelledby="assigned-items">
      <h2 id="assigned-items" className="sr-only">
        Modules and courses
      </h2>
      <LaunchList>
        <ul className="learnlist">
          {items.map(({ uid, name, kind, assignedOn, due, isComingSoon, hasAccess, module, course }) => {
            const what = `${kind === 'module' ? 'Module' : 'Course'}, ${assignedLabel.toLowerCase()} ${assignedOn}`
            const detail = hasAccess && due ? <DueDetail due={due} what={what} /> : what
            if (module) return <ModuleRow key={uid} module={module} detail={detail} isClosed={!hasAccess} />
            if (course) return <CourseRow key={uid} course={course} detail={detail} isClosed={!hasAccess} />
            return <ClosedRow key={uid} name={name} kind={kind} isComingSoon={isComingSoon} />
          })}
        </ul>
      </LaunchList>
      <Pages page={page} size={size} total={total} to={(page) => `?page=${page}`} />
    </section>
  )
}

function DueDetail({ due, what }: { due: string; what: string }) {
  return (
    <>
      <strong>{due}</strong> · {what}
    </>
  )
}
