import { Link } from '@remix-run/react'
import { SaveButton } from '../favorites/save-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Titer } from '../ui/titer.tsx'
import { CoverImage } from './cover-image.tsx'
import { LaunchButton, type LaunchIntent } from './launch-form.tsx'
import type { ModuleView } from './view.ts'
import { actionOf, elsewhereNote, failedTestOf, isCompleted, standingOf } from './view.ts'

type Props = { module: ModuleView; isFirst?: boolean; kind?: string; heading?: 'h2' | 'h3' }

/** The card of a module. It must be inside a LaunchList, whose form its button submits. Mixed lists name its kind. */
export function ModuleCard({ module, isFirst = false, kind, heading: Heading = 'h3' }: Props) {
  const phase = module.phase ? { 'data-phase': module.phase } : {}
  return (
    <li className={module.isComingSoon ? 'card card--soon' : 'card'} {...phase}>
      <div className="cover">
        <CoverImage module={module} isFirst={isFirst} />
        {module.isComingSoon && <span className="flag flag--soon">Coming Soon</span>}
        {isCompleted(module) && (
          <span className="flag flag--done">
            <Icon name="check" />
            {/* The result of a test leaves no room for the retake; the foot has it. */}
            {failedTestOf(module) ?? standingOf(module)}
          </span>
        )}
      </div>
      <div className="body">
        {(kind || module.step) && <span className="eyebrow">{[kind, module.step].filter(Boolean).join(' · ')}</span>}
        <Heading>
          {module.isComingSoon ? module.name : <Link to={`/modules/${module.uid}/`}>{module.name}</Link>}
        </Heading>
        <p>{module.description}</p>
        {module.duration && <span className="small muted num">{module.duration}</span>}
        {!isCompleted(module) && <FailedTestNote module={module} />}
      </div>
      <div className="foot">
        <CardFoot module={module} />
        <SaveButton kind="module" uid={module.uid} name={module.name} isSaved={module.isSaved} />
      </div>
    </li>
  )
}

/** A test that must still be passed. */
function FailedTestNote({ module }: { module: ModuleView }) {
  const text = failedTestOf(module)
  return text && <p className="small">{text}</p>
}

function CardFoot({ module }: { module: ModuleView }) {
  if (module.isComingSoon) return <span className="note">Not open yet</span>
  if (module.isElsewhere) return <span className="note">{elsewhereNote(module)}</span>
  if (!module.versionUid) return <span className="note">Draft, not published</span>
  const action = actionOf(module)
  const percent = module.retakingPercent ?? module.percent
  return (
    <>
      <LaunchButton
        versionUid={module.versionUid}
        intent={action.toLowerCase() as LaunchIntent}
        className="btn btn--quiet"
        label={`${action} ${module.name}`}
      >
        {action}
        {action === 'Start' && <Icon name="arrow" />}
      </LaunchButton>
      {action === 'Resume' && percent !== null && (
        <>
          <Titer percent={percent} label={`${module.name}, progress`} />
          <span className="num">{percent}%</span>
        </>
      )}
    </>
  )
}
