import { Link } from '@remix-run/react'
import { NothingOpen, useAccessEndedOn } from '../layout/nothing-open.tsx'
import { LaunchList } from '../modules/launch-form.tsx'
import { BeyondTheList, Empty } from '../ui/empty.tsx'
import { Pages } from '../ui/pages.tsx'
import { CourseCard } from './course-card.tsx'
import type { CourseView } from './view.ts'

type Props = { courses: CourseView[]; page: number; size: number; total: number }

export function CourseList({ courses, page, size, total }: Props) {
  return (
    <div className="wrap pb-16">
      <header className="pagehead">
        <h1>Courses</h1>
        {total > 0 && <p className="lead muted">Modules in a considered order, from the first question to the last.</p>}
      </header>
      {courses.length === 0 ? (
        <NoCourses isFirstPage={page === 1} />
      ) : (
        <section aria-label="Courses">
          <LaunchList>
            <ul className="cards">
              {courses.map((course, index) => (
                <CourseCard key={course.uid} course={course} isFirst={index === 0} />
              ))}
            </ul>
          </LaunchList>
        </section>
      )}
      <Pages page={page} size={size} total={total} to={(page) => `/courses/?page=${page}`} />
    </div>
  )
}

function NoCourses({ isFirstPage }: { isFirstPage: boolean }) {
  const accessEndedOn = useAccessEndedOn()
  if (!isFirstPage) return <BeyondTheList icon="path" to="/courses/" />
  if (accessEndedOn) return <NothingOpen />
  return (
    <Empty icon="path" title="There are no courses for you yet">
      <p>Courses appear here when your access includes them. You can also take modules on their own.</p>
      <Link className="btn btn--secondary" to="/modules/">
        Go to Modules
      </Link>
    </Empty>
  )
}
