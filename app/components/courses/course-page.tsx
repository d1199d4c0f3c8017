import { Link } from '@remix-run/react'
import { SaveButton } from '../favorites/save-button.tsx'
import { TextWithTerms } from '../glossary/text-with-terms.tsx'
import { DueLine, type OwnDue } from '../learning/due-line.tsx'
import { CoverImage } from '../modules/cover-image.tsx'
import { LaunchButton, LaunchForm, type LaunchIntent, LaunchList } from '../modules/launch-form.tsx'
import type { ModuleView } from '../modules/view.ts'
import { actionOf, elsewhereNote, failedTestOf, isCompleted, standingOf } from '../modules/view.ts'
import { Tags } from '../search/tags.tsx'
import { BackLink } from '../ui/back-link.tsx'
import { Icon } from '../ui/icon.tsx'
import { Dial, Titer } from '../ui/titer.tsx'
import type { CourseChapter, CourseDetails, CourseSection } from './view.ts'

type Course = CourseDetails & { startedOn: string | null }

type Props = {
  course: Course
  tags: string[]
  /** In a preview, what learners could do with each module, by uid. Nothing can be opened or saved then. */
  access?: Access
  ownDue?: OwnDue | null
}
type Access = Record<string, string>

/** Shows what a course teaches, its modules in order with the learner's progress, and a button to continue. */
export function CoursePage({ course, tags, access, ownDue = null }: Props) {
  const modules = course.sections.flatMap(({ chapters }) => chapters.flatMap(({ modules }) => modules))
  const next = modules.find(({ uid }) => uid === course.nextModuleUid)
  return (
    <>
      <div className="modulehead">
        <div className="wrap">
          <div>
            {!access && <BackLink to="/courses/">Courses</BackLink>}
            <h1 className="mt-2">{course.name}</h1>
            {course.description.length > 0 && (
              <p className="lead mt-4 whitespace-pre-line">
                <TextWithTerms parts={course.description} />
              </p>
            )}
            {course.duration && <p className="muted num mt-3">{course.duration}</p>}
            <DueLine own={ownDue} />
            <div className="mt-6 flex flex-wrap items-center gap-3">
              {next && <ContinueButton module={next} isStarted={course.isStarted} />}
              {!course.isPublished && <p className="muted">Draft: not published yet.</p>}
              {!access && (
                <SaveButton kind="course" uid={course.uid} name={course.name} isSaved={course.isSaved} isLarge />
              )}
            </div>
            <Tags tags={tags} />
          </div>
          {course.bannerAddress ? (
            <img src={course.bannerAddress} width="640" height="360" alt="" decoding="async" />
          ) : (
            <CoverImage module={{ ...course, phase: null }} isFirst />
          )}
        </div>
      </div>
      <div className="wrap withaside">
        <div>
          {course.learningObjectives.length > 0 && (
            <section aria-labelledby="objectives" className="mb-10">
              <h2 id="objectives" className="mb-4">
                What you will be able to do
              </h2>
              <ul className="objectives">
                {course.learningObjectives.map((objective) => (
                  <li key={objective}>{objective}</li>
                ))}
              </ul>
            </section>
          )}
          <LaunchList>
            {course.sections.map((section) => (
              <Section key={section.uid} section={section} all={modules} next={next} access={access} />
            ))}
          </LaunchList>
          {modules.length === 0 && <p className="muted">This course has no modules for you yet.</p>}
          {course.hiddenCount > 0 && (
            <p className="muted small">
              {course.hiddenCount === 1
                ? 'One more module of this course is not part of your access. It does not count here.'
                : `${course.hiddenCount} more modules of this course are not part of your access. They do not count here.`}
            </p>
          )}
        </div>
        {!access && (
          <aside className="box" aria-label="My progress in this course">
            <Progress course={course} />
          </aside>
        )}
      </div>
    </>
  )
}

function ContinueButton({ module, isStarted }: { module: ModuleView; isStarted: boolean }) {
  if (!module.versionUid) return null
  const action = isStarted ? 'Resume' : 'Start'
  return (
    <LaunchForm
      versionUid={module.versionUid}
      intent={actionOf(module).toLowerCase() as LaunchIntent}
      className="btn btn--primary"
      label={`${action} with ${module.name}`}
    >
      {action}
    </LaunchForm>
  )
}

type ListProps = { all: ModuleView[]; next: ModuleView | undefined; access: Access | undefined }

function Section({ section, ...list }: ListProps & { section: CourseSection }) {
  return (
    <section aria-labelledby={`section-${section.uid}`} className="mb-10">
      <h2 id={`section-${section.uid}`} className="mb-2">
        Section {section.number}: {section.name}
      </h2>
      {section.description.length > 0 && (
        <p className="muted mb-4 whitespace-pre-line">
          <TextWithTerms parts={section.description} />
        </p>
      )}
      {section.chapters.map((chapter) => (
        <Chapter key={chapter.uid} chapter={chapter} {...list} />
      ))}
    </section>
  )
}

/** A chapter that can be folded. The browser's search finds text in it even then. */
function Chapter({ chapter, all, next, access }: ListProps & { chapter: CourseChapter }) {
  const { modules } = chapter
  const counted = modules.filter(({ isComingSoon }) => !isComingSoon)
  const completed = counted.filter(isCompleted).length
  return (
    <details className="chapter" open>
      <summary>
        <Icon name="chevron" className="i--turn" />
        <h3>{chapter.name}</h3>
        {counted.length > 0 && !access && (
          <span className="muted small num">
            {completed} of {counted.length} {counted.length === 1 ? 'module' : 'modules'}
          </span>
        )}
      </summary>
      {chapter.description.length > 0 && (
        <p className="muted small mb-2 whitespace-pre-line">
          <TextWithTerms parts={chapter.description} />
        </p>
      )}
      <ol className="burette">
        {modules.map((module) => (
          <CourseModule
            key={module.uid}
            module={module}
            number={all.indexOf(module) + 1}
            isNext={module.uid === next?.uid}
            access={access}
          />
        ))}
      </ol>
    </details>
  )
}

type ModuleProps = { module: ModuleView; number: number; isNext: boolean; access: Access | undefined }

function CourseModule({ module, number, isNext, access }: ModuleProps) {
  const isDone = isCompleted(module)
  const percent = module.retakingPercent ?? module.percent
  return (
    <li className={isDone ? 'is-done' : isNext ? 'is-now' : undefined}>
      <span className="node" aria-hidden="true">
        {isDone ? <Icon name="check" /> : number}
      </span>
      <div>
        <h4>
          {access || module.isComingSoon ? module.name : <Link to={`/modules/${module.uid}/`}>{module.name}</Link>}
        </h4>
        <p className="small muted">{access ? access[module.uid] : describe(module)}</p>
        {percent !== null && percent > 0 && percent < 100 && (
          <Titer percent={percent} label={`${module.name}, progress`} />
        )}
      </div>
      {module.versionUid && !access && (
        <LaunchButton
          versionUid={module.versionUid}
          intent={actionOf(module).toLowerCase() as LaunchIntent}
          className={`btn ${isNext ? 'btn--primary' : 'btn--quiet'}`}
          label={`${actionOf(module)} ${module.name}`}
        >
          {actionOf(module)}
        </LaunchButton>
      )}
      {module.isElsewhere && !access && <span className="small muted">{elsewhereNote(module)}</span>}
    </li>
  )
}

function describe(module: ModuleView): string {
  if (module.isComingSoon) return 'Coming Soon'
  if (!module.versionUid && !module.isElsewhere) return 'Draft, not published'
  const count = module.unitCount === 1 ? 'One unit' : `${module.unitCount} units`
  const units = module.duration ? `${count} · ${module.duration}` : count
  if (module.retakingPercent !== null) return standingOf(module)
  const failedTest = failedTestOf(module)
  if (failedTest) return isCompleted(module) ? failedTest : `${units}. ${failedTest}`
  if (isCompleted(module))
    return module.highestScore === null ? 'Completed' : `Completed, best score ${module.highestScore}%`
  return module.percent ? `${units}, ${module.percent}% done` : units
}

function Progress({ course }: { course: Course }) {
  const total = course.countedCount
  return (
    <>
      <div className="flex items-center gap-4">
        <Dial percent={course.percent} size={92} label="Course progress" />
        <div>
          <p className="voice text-3xl">{course.percent}%</p>
          {course.isCompleted && <p>Completed</p>}
          <p className="muted small num">
            {course.completedCount} of {total} {total === 1 ? 'module' : 'modules'}
          </p>
        </div>
      </div>
      {course.startedOn && (
        <dl className="facts mt-4">
          <dt>Started</dt>
          <dd>{course.startedOn}</dd>
        </dl>
      )}
    </>
  )
}
