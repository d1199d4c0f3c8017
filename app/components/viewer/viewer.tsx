import { type ReactNode, useEffect } from 'react'
import { Mark } from '../layout/brand-link.tsx'
import { useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { CloseLink } from './close-link.tsx'
import { Ended } from './ended.tsx'
import type { ViewerLaunch } from './launch.ts'
import { OwnWindow } from './own-window.tsx'
import { useReachableAddress } from './reachable-address.ts'
import { SessionClosed } from './session-closed.tsx'
import { Survey } from './survey.tsx'
import { UnitBox } from './unit-box.tsx'
import { useViewing, type Viewing } from './use-viewing.ts'
import { WhereNow } from './where-now.tsx'

/** What content may do besides, although it has another origin. Neither camera nor microphone: no package can ask. */
const permissions = 'autoplay; clipboard-write; encrypted-media; fullscreen; picture-in-picture'

/**
 * What content may do in its frame. It keeps its own origin, which is never ours. It can navigate no other window, and
 * its pop-ups are bound by the same rules (docs/decisions/030).
 */
const sandbox = [
  'allow-downloads',
  'allow-forms',
  'allow-modals',
  'allow-orientation-lock',
  'allow-pointer-lock',
  'allow-popups',
  'allow-presentation',
  'allow-same-origin',
  'allow-scripts',
].join(' ')

/** The module viewer, which fills the window. Without JavaScript it has the frame, the units as a form, and Close. */
export function Viewer({ launch }: { launch: ViewerLaunch }) {
  const viewing = useViewing(launch)
  // In a window of ours, another unit would end the session that the page behind shows.
  const hasUnits = launch.units.length > 1 && !launch.isInWindow
  return (
    <ViewerFrame
      name={launch.module.name}
      note={launch.staff?.label ?? (launch.isPreview ? 'Preview' : undefined)}
      from={launch.from}
      units={hasUnits && <UnitBox launch={launch} isFolded={viewing.stage === 'finished'} />}
      onClose={viewing.leave}
    >
      <div className="frame">
        <Content launch={launch} viewing={viewing} />
      </div>
      {viewing.isSessionClosed && <SessionClosed onLeave={viewing.leaveClosedSession} />}
    </ViewerFrame>
  )
}

function Content({ launch, viewing }: { launch: ViewerLaunch; viewing: Viewing }) {
  const { stage } = viewing
  const isHydrated = useHydrated()
  const address = useReachableAddress(launch)
  if (stage === 'ended') return <Ended launch={launch} onClose={viewing.leave} />
  if (stage === 'finished') return <WhereNow launch={launch} hasMenu={viewing.hasMenu} onClose={viewing.leave} />
  if (stage === 'survey') return <Survey launch={launch} onEnd={viewing.endSurvey} />
  if (launch.opening !== 'frame') return <OwnWindow launch={launch} onOpened={viewing.showOpened} />
  const unit = launch.units.find(({ isCurrent }) => isCurrent)
  return (
    <>
      {stage === 'loading' && isHydrated && (
        <p className="notice banner" role="status">
          <Icon name="info" />
          <span>Loading module: {launch.module.name}</span>
        </p>
      )}
      <iframe
        ref={viewing.frame}
        src={address}
        title={`Module content: ${unit?.title ?? launch.module.name}`}
        sandbox={sandbox}
        allow={permissions}
        onLoad={viewing.showLoaded}
      />
    </>
  )
}

/** The viewer's bar with Close, and the content below it. */
export function ViewerFrame({ name, note, from, units, onClose, children }: FrameProps) {
  useEffect(() => document.getElementById('viewer-title')?.focus(), [])
  return (
    <div className="viewer on-deep">
      <header>
        <Mark size={26} />
        <h1 id="viewer-title" className="truncate" tabIndex={-1} title={note ? `${name}, ${note}` : name}>
          {name}
          {note && <span className="asides"> {note}</span>}
        </h1>
        {units}
        <CloseLink className="btn btn--deep-line" from={from} onClose={onClose}>
          <Icon name="close" />
          <span className="word">Close</span>
        </CloseLink>
      </header>
      <main id="main" tabIndex={-1} aria-label="Module" className={units ? 'stage stage--units' : 'stage'}>
        {children}
      </main>
    </div>
  )
}

type FrameProps = {
  name: string
  note?: string
  from: string
  /** The list of units: in the bar or, in a wide window, beside the content. */
  units?: ReactNode
  /** Returns true if it closes the window or goes back. Otherwise Close leads to `from`. */
  onClose?: () => boolean
  children: ReactNode
}
