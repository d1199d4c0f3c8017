import { CloseFooter, RouteDialog } from '../route-dialog.tsx'

type Props = { name: string; courses: { uid: string; name: string }[] }

const closeTo = '/dashboard/modules/'

export function CoursesWithModule({ name, courses }: Props) {
  return (
    <RouteDialog
      title="Courses with this module"
      size="md"
      closeTo={closeTo}
      footer={<CloseFooter closeTo={closeTo} />}
    >
      <div className="stack">
        <p className="dlg-question">{name}</p>
        {courses.length === 0 ? (
          <p className="muted">No courses contain this module</p>
        ) : (
          <ul className="namelist">
            {courses.map((course) => (
              <li key={course.uid}>{course.name}</li>
            ))}
          </ul>
        )}
      </div>
    </RouteDialog>
  )
}
