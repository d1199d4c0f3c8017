import { Link } from '@remix-run/react'
import { SaveButton } from '../favorites/save-button.tsx'
import { CoverImage } from '../modules/cover-image.tsx'
import { CourseResumeButton } from '../modules/launch-form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Titer } from '../ui/titer.tsx'
import type { CourseView } from './view.ts'

type Props = { course: CourseView; isFirst?: boolean; kind?: string }

/** The card of a course. It must be inside a LaunchList, whose form its button submits. Mixed lists name its kind. */
export function CourseCard({ course, isFirst = false, kind }: Props) {
  return (
    <li className="card">
      <div className="cover">
        <CoverImage module={{ ...course, phase: null }} isFirst={isFirst} />
        {course.isCompleted && (
          <span className="flag flag--done">
            <Icon name="check" />
            Completed
          </span>
        )}
      </div>
      <div className="body">
        <span className="eyebrow">
          {kind && `${kind} · `}
          {course.moduleCount === 1 ? 'One module' : `${course.moduleCount} modules`}
        </span>
        <h2>
          <Link to={`/courses/${course.uid}/`}>{course.name}</Link>
        </h2>
        <p>{course.synopsis}</p>
        {course.duration && <span className="small muted num">{course.duration}</span>}
      </div>
      <div className="foot">
        {!course.isPublished && <span className="note">Draft, not published</span>}
        {course.isPublished && !course.isCompleted && course.moduleCount > 0 && (
          <CourseResumeButton
            uid={course.uid}
            name={course.name}
            className="btn btn--quiet"
            action={course.isStarted ? 'Resume' : 'Start'}
          />
        )}
        {course.isPublished && course.isCompleted && (
          <Link className="btn btn--quiet" to={`/courses/${course.uid}/`} aria-label={`Retake ${course.name}`}>
            Retake
          </Link>
        )}
        {course.isStarted && !course.isCompleted && (
          <>
            <Titer percent={course.percent} label={`${course.name}, progress`} />
            <span className="num">{course.percent}%</span>
          </>
        )}
        <SaveButton kind="course" uid={course.uid} name={course.name} isSaved={course.isSaved} />
      </div>
    </li>
  )
}
