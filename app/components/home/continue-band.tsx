import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import type { CourseView } from '../courses/view.ts'
import { CoverImage } from '../modules/cover-image.tsx'
import { CourseResumeButton, LaunchForm, LaunchList } from '../modules/launch-form.tsx'
import type { ModuleView } from '../modules/view.ts'
import { actionOf, elsewhereNote } from '../modules/view.ts'
import { Titer } from '../ui/titer.tsx'

/** Takes the learner back to the last module with one click. */
export function ContinueModule({ module }: { module: ModuleView }) {
  const action = actionOf(module)
  return (
    <Band
      picture={<CoverImage module={module} isFirst />}
      phase={module.phase}
      eyebrow={module.step}
      name={module.name}
      to={`/modules/${module.uid}/`}
      description={module.description}
      percent={module.percent ?? 0}
    >
      {module.versionUid && (
        <LaunchForm
          versionUid={module.versionUid}
          intent={action === 'Start' ? 'start' : 'resume'}
          className="btn btn--primary"
          label={`${action} ${module.name}`}
        >
          {action}
        </LaunchForm>
      )}
      {module.isElsewhere && <p className="muted">{elsewhereNote(module)} and cannot be opened in a browser.</p>}
    </Band>
  )
}

/** Offers the next module of a course to a learner who has completed one and not started another. */
export function ContinueCourse({ course }: { course: CourseView }) {
  return (
    <Band
      picture={<CoverImage module={{ ...course, phase: null }} isFirst />}
      eyebrow={course.moduleCount === 1 ? 'Course, one module' : `Course, ${course.moduleCount} modules`}
      name={course.name}
      to={`/courses/${course.uid}/`}
      description={course.synopsis}
      percent={course.percent}
    >
      <LaunchList>
        <CourseResumeButton uid={course.uid} name={course.name} className="btn btn--primary" />
      </LaunchList>
    </Band>
  )
}

type BandProps = {
  picture: ReactNode
  phase?: string | null
  eyebrow: string | null
  name: string
  to: string
  description: string
  percent: number
  children: ReactNode
}

function Band({ picture, phase, eyebrow, name, to, description, percent, children }: BandProps) {
  return (
    <section className="band" aria-labelledby="continue">
      <div className="wrap">
        <h2 id="continue" className="mb-6">
          Continue where you were
        </h2>
        <div className="continue" {...(phase && { 'data-phase': phase })}>
          {picture}
          <div>
            {eyebrow && <p className="eyebrow">{eyebrow}</p>}
            <h3>
              <Link to={to}>{name}</Link>
            </h3>
            <p className="muted mt-2">{description}</p>
            <div className="my-6 max-w-80">
              <p className="num mb-1">{percent}%</p>
              <Titer percent={percent} label={`${name}, progress`} />
            </div>
            {children}
          </div>
        </div>
      </div>
    </section>
  )
}
