import type { TextPart } from '~/lib/glossary-words.ts'
import { SaveButton } from '../favorites/save-button.tsx'
import { TextWithTerms } from '../glossary/text-with-terms.tsx'
import { useAccessEndedOn } from '../layout/nothing-open.tsx'
import { DueLine, type OwnDue } from '../learning/due-line.tsx'
import { Tags } from '../search/tags.tsx'
import { BackLink } from '../ui/back-link.tsx'
import { Icon } from '../ui/icon.tsx'
import { Titer } from '../ui/titer.tsx'
import { CoverImage } from './cover-image.tsx'
import { LaunchForm, type LaunchIntent } from './launch-form.tsx'
import { type Unit, UnitList } from './unit-list.tsx'
import type { ModuleView } from './view.ts'
import { actionOf, elsewhereNote, failedTestOf, isCompleted, standingOf } from './view.ts'
import { WhatIsMissing } from './what-is-missing.tsx'

export type Attempt = {
  number: number
  percent: number
  score: number | null
  isOpen: boolean
  /** Null if nothing was launched in it. */
  startedAt: string | null
  lastVisitedAt: string | null
}

type Props = {
  module: ModuleView
  description: TextPart[]
  tags: string[]
  /** The version to launch a unit of, even if the module has no unit to continue with. */
  unitsVersionUid: string | null
  units: Unit[]
  attempts: Attempt[]
  /** The viewer's access has ended; the page shows the learner's results. */
  isClosed: boolean
  ownDue: OwnDue | null
}

/** The page of a module: its description, its units, and the learner's attempts. */
export function ModulePage(props: Props) {
  const { module, description, tags, unitsVersionUid, units, attempts, isClosed, ownDue } = props
  const phase = module.phase ? { 'data-phase': module.phase } : {}
  return (
    <div {...phase}>
      <div className="modulehead">
        <div className="wrap">
          <div>
            <BackLink to="/modules/">Modules</BackLink>
            {module.step && <p className="eyebrow mt-2">{module.step}</p>}
            <h1 className="mt-2">{module.name}</h1>
            <Result module={module} />
            <p className="lead mt-4">
              <TextWithTerms parts={description} />
            </p>
            {module.duration && <p className="muted num mt-3">{module.duration}</p>}
            <DueLine own={ownDue} />
            <div className="mt-6 flex flex-wrap items-center gap-3">
              {isClosed ? <Closed /> : <Action module={module} />}
              {!isClosed && (
                <SaveButton kind="module" uid={module.uid} name={module.name} isSaved={module.isSaved} isLarge />
              )}
            </div>
            <Tags tags={tags} />
          </div>
          <CoverImage module={module} isFirst />
        </div>
      </div>
      {module.isComingSoon && attempts.length === 0 && units.length === 0 ? null : (
        <div className="wrap withaside">
          <div>
            {units.length > 0 && (
              <section aria-labelledby="units">
                <h2 id="units" className="mb-4">
                  {units.length === 1 ? 'One unit' : `${units.length} units`}
                </h2>
                <UnitList units={units} versionUid={unitsVersionUid} />
              </section>
            )}
            <section aria-labelledby="attempts" className="mt-12">
              <h2 id="attempts" className="mb-4">
                My attempts
              </h2>
              <Attempts attempts={attempts} />
            </section>
          </div>
          <aside className="box" aria-label="My progress in this module">
            <Progress module={module} units={units} attempts={attempts} />
          </aside>
        </div>
      )}
    </div>
  )
}

/** Stands in place of the button once the subscription has ended. */
function Closed() {
  const endedOn = useAccessEndedOn()
  return <p className="muted">Your access ended on {endedOn}. Your results stay here.</p>
}

/**
 * Where the learner stands, for narrow windows: there the box with the details is below the fold. A failed test is
 * shown in every window.
 */
function Result({ module }: { module: ModuleView }) {
  const { percent, retakingPercent, highestScore } = module
  if (percent === null) return null
  const score = highestScore === null ? '' : ` · score ${highestScore}%`
  const failedTest = failedTestOf(module)
  return (
    <p className={`standing num mt-3 ${failedTest === null ? 'standing--narrow' : ''}`}>
      {isCompleted(module) && <Icon name="check" />}
      {failedTest ?? (isCompleted(module) ? `Completed${score}` : `Started, ${percent}%`)}
      {retakingPercent !== null && ` · retaking ${retakingPercent}%`}
    </p>
  )
}

function Action({ module }: { module: ModuleView }) {
  if (module.isElsewhere) {
    return <p className="muted">{elsewhereNote(module)} and cannot be opened in a browser.</p>
  }
  if (!module.versionUid) {
    return (
      <p className="muted">
        {module.isComingSoon ? 'Coming Soon. This module is announced and not open yet.' : 'Draft: not published yet.'}
      </p>
    )
  }
  const action = actionOf(module)
  return (
    <LaunchForm
      versionUid={module.versionUid}
      intent={action.toLowerCase() as LaunchIntent}
      className="btn btn--primary"
      label={`${action} ${module.name}`}
    >
      {action}
    </LaunchForm>
  )
}

function Progress({ module, units, attempts }: { module: ModuleView; units: Unit[]; attempts: Attempt[] }) {
  const [last] = attempts
  const isOpen = last?.isOpen && (!isCompleted(module) || module.retakingPercent !== null)
  return (
    <>
      <p className="voice text-3xl">{module.percent ?? 0}%</p>
      <Titer percent={module.percent ?? 0} label={`${module.name}, progress`} />
      <p className="small muted mt-3">
        {module.percent === null && 'Not started yet.'}
        {isCompleted(module) && `${standingOf(module)}.`}
        {module.percent !== null && !isCompleted(module) && 'In progress.'}
      </p>
      {isOpen && <WhatIsMissing units={units} />}
      {isOpen && module.versionUid && units.some(({ failedTest }) => failedTest === 'required') && (
        <NewAttempt versionUid={module.versionUid} unitCount={units.length} />
      )}
      {last && (
        <dl className="facts mt-4">
          <dt>Best score</dt>
          <dd>{module.highestScore === null ? '–' : `${module.highestScore}%`}</dd>
          <dt>Last visit</dt>
          <dd>{attempts.find(({ lastVisitedAt }) => lastVisitedAt)?.lastVisitedAt ?? '–'}</dd>
          <dt>Attempts</dt>
          <dd>{last.number}</dd>
        </dl>
      )}
    </>
  )
}

/** Only the package knows whether a test can be taken again within an attempt. In a new attempt it always can. */
function NewAttempt({ versionUid, unitCount }: { versionUid: string; unitCount: number }) {
  return (
    <div className="small mt-3">
      <p className="mb-2">
        Start a new attempt to take the test again. Your best score is kept
        {unitCount > 1 && ', and units that are done stay done'}.
      </p>
      <LaunchForm versionUid={versionUid} intent="retake" className="btn btn--secondary">
        Start a new attempt
      </LaunchForm>
    </div>
  )
}

function Attempts({ attempts }: { attempts: Attempt[] }) {
  if (attempts.length === 0) {
    return <p className="muted">You have not opened this module yet. Your attempts will appear here.</p>
  }
  return (
    <div className="tablebox">
      <table className="datagrid" aria-labelledby="attempts">
        <thead>
          <tr>
            <th scope="col">Attempt</th>
            <th scope="col">Started</th>
            <th scope="col">Last visit</th>
            <th scope="col" className="n">
              Progress
            </th>
            <th scope="col" className="n">
              Score
            </th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt) => (
            <tr key={attempt.number}>
              <td className="lead-cell">
                <span className="name">
                  Attempt {attempt.number}
                  {attempt.isOpen && attempt.percent < 100 ? ', open' : ''}
                </span>
              </td>
              <td data-label="Started">{attempt.startedAt ?? '–'}</td>
              <td data-label="Last visit">{attempt.lastVisitedAt ?? '–'}</td>
              <td data-label="Progress" className="n">
                {attempt.percent}%
              </td>
              <td data-label="Score" className="n">
                {attempt.score === null ? '–' : `${attempt.score}%`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
