import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import type { CourseView } from '../courses/view.ts'
import { SaveButton } from '../favorites/save-button.tsx'
import { useAccessEndedOn } from '../layout/nothing-open.tsx'
import { CoverImage } from '../modules/cover-image.tsx'
import { CourseResumeButton, LaunchButton, type LaunchIntent } from '../modules/launch-form.tsx'
import type { ModuleView } from '../modules/view.ts'
import { actionOf, elsewhereNote, failedTestOf, isCompleted } from '../modules/view.ts'
import { Icon } from '../ui/icon.tsx'
import { Titer } from '../ui/titer.tsx'

type Props = {
  picture: ReactNode
  name: string
  /** Null if it cannot be opened. */
  to: string | null
  detail: ReactNode
  phase?: string | null
  progress?: ReactNode
  action?: ReactNode
}

/** A row of My Learning: picture, name, progress and the next action. */
export function LearnRow({ picture, name, to, detail, phase, progress, action }: Props) {
  return (
    <li className={progress ? undefined : 'is-closed'} {...(phase && { 'data-phase': phase })}>
      {picture}
      <div>
        <h3>{to === null ? name : <Link to={to}>{name}</Link>}</h3>
        <p className="small muted">{detail}</p>
      </div>
      <div className="p">{progress}</div>
      <div className="act">{action}</div>
    </li>
  )
}

type ModuleRowProps = {
  module: ModuleView
  detail: ReactNode
  isPrimary?: boolean
  hasSave?: boolean
  /** The viewer's access no longer includes the module. */
  isClosed?: boolean
}

/** A module in My Learning. It must be inside a LaunchList, whose form its button submits. */
export function ModuleRow({ module, detail, isPrimary = false, hasSave = false, isClosed = false }: ModuleRowProps) {
  const action = actionOf(module)
  const isDone = isCompleted(module) && module.retakingPercent === null
  // After the subscription has ended, the page still shows the results.
  const hasPage = useAccessEndedOn() ? module.percent !== null : !isClosed && !module.isComingSoon
  const percent = module.retakingPercent ?? module.percent ?? 0
  const failedTest = failedTestOf(module)
  return (
    <LearnRow
      picture={<CoverImage module={module} />}
      name={module.name}
      to={hasPage ? `/modules/${module.uid}/` : null}
      detail={detail}
      phase={module.phase}
      progress={
        <>
          <p className="num small mb-1 flex items-center gap-1">
            {isDone && <Icon name="check" className="text-success" />}
            {isDone &&
              (failedTest ?? (module.highestScore === null ? 'Completed' : `Best score ${module.highestScore}%`))}
            {!isDone && `${module.retakingPercent === null ? '' : 'Retaking '}${percent}%`}
          </p>
          {!isDone && <Titer percent={percent} label={`${module.name}, progress`} />}
          {!isDone && failedTest && <p className="small mt-1">{failedTest}</p>}
        </>
      }
      action={
        <>
          {isClosed && <NoLongerOpen />}
          {module.versionUid && (
            <LaunchButton
              versionUid={module.versionUid}
              intent={action.toLowerCase() as LaunchIntent}
              className={`btn ${isPrimary ? 'btn--primary' : 'btn--secondary'}`}
              label={`${action} ${module.name}`}
            >
              {action}
            </LaunchButton>
          )}
          {module.isElsewhere && (
            <span className="note-closed">
              <Icon name="alert" />
              {elsewhereNote(module)}
            </span>
          )}
          {hasSave && <SaveButton kind="module" uid={module.uid} name={module.name} isSaved={module.isSaved} />}
        </>
      }
    />
  )
}

/** A course in My Learning. It must be inside a LaunchList, whose form its button submits. */
export function CourseRow({
  course,
  detail,
  hasSave = false,
  isClosed = false,
}: {
  course: CourseView
  detail: ReactNode
  hasSave?: boolean
  /** The viewer's access no longer includes the course. */
  isClosed?: boolean
}) {
  const to = `/courses/${course.uid}/`
  const action = course.isCompleted ? 'Retake' : course.isStarted ? 'Resume' : 'Start'
  return (
    <LearnRow
      picture={<CoverImage module={{ ...course, phase: null }} />}
      name={course.name}
      to={isClosed ? null : to}
      detail={detail}
      progress={
        <>
          <p className="num small mb-1 flex items-center gap-1">
            {course.isCompleted && <Icon name="check" className="text-success" />}
            {course.isCompleted ? 'Completed' : `${course.percent}%`}
          </p>
          {!course.isCompleted && <Titer percent={course.percent} label={`${course.name}, progress`} />}
        </>
      }
      action={
        <>
          {isClosed && <NoLongerOpen />}
          {!isClosed && action === 'Resume' && (
            <CourseResumeButton uid={course.uid} name={course.name} className="btn btn--secondary" />
          )}
          {!isClosed && action !== 'Resume' && (
            <Link className="btn btn--secondary" to={to} aria-label={`${action} ${course.name}`}>
              {action}
            </Link>
          )}
          {hasSave && <SaveButton kind="course" uid={course.uid} name={course.name} isSaved={course.isSaved} />}
        </>
      }
    />
  )
}

/** Stands where a row's button was: the viewer started this, but can no longer open it. */
export function NoLongerOpen() {
  const endedOn = useAccessEndedOn()
  return <span className="small muted">{endedOn ? 'Access ended' : 'Not in your access'}</span>
}

type ClosedRowProps = { name: string; kind: 'module' | 'course'; isComingSoon: boolean }

/** An assigned thing that the learner's plan does not include, or that is coming soon. It is listed but disabled. */
export function ClosedRow({ name, kind, isComingSoon }: ClosedRowProps) {
  const endedOn = useAccessEndedOn()
  const why = endedOn ? 'Access ended' : 'You don’t have access to this item'
  return (
    <LearnRow
      picture={<CoverImage module={{ name, phase: null, cover: null }} />}
      name={name}
      to={null}
      detail={kind === 'module' ? 'Module' : 'Course'}
      action={
        <span className="note-closed">
          {!isComingSoon && <Icon name="alert" />}
          {isComingSoon ? 'Coming Soon' : why}
        </span>
      }
    />
  )
}
