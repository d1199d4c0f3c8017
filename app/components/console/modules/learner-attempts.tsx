import { Link } from '@remix-run/react'
import { formatPercent } from '~/lib/percent.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Empty } from '../../ui/empty.tsx'
import { AttemptDetail } from './attempt-detail.tsx'
import { type AttemptRecords, type AttemptSummary, nameOfAttempt } from './attempt-view.ts'
import { RecordTable } from './record-table.tsx'

type Props = {
  learner: { uid: string; name: string; email: string }
  module: { uid: string; name: string }
  timeZone: string
  attempts: AttemptSummary[]
  chosen: AttemptRecords | null
}

/** All that one person did in one module: the attempts, and one of them with its units, launches and statements. */
export function LearnerAttempts({ learner, module, timeZone, attempts, chosen }: Props) {
  return (
    <div className="records">
      <div className="records-head">
        <BackLink to={`/dashboard/modules/${module.uid}/report/learners/`}>Learners of {module.name}</BackLink>
        <h1>{learner.name}</h1>
        <p className="muted">
          {learner.email && learner.email !== learner.name && `${learner.email} · `}
          {module.name}
        </p>
      </div>
      {attempts.length === 0 ? (
        <Empty icon="clock" title={`${learner.name} has not opened this module yet`}>
          <p>Attempts are listed here, with what was done in them, from the first launch on.</p>
        </Empty>
      ) : (
        <>
          <section aria-labelledby="attempts">
            <h2 id="attempts">Attempts</h2>
            <p className="muted small">Times are in {timeZone}. Previews are no attempts and count nowhere.</p>
            <Attempts attempts={attempts} chosen={chosen?.registrationUid} />
          </section>
          {chosen && <AttemptDetail attempt={chosen} />}
        </>
      )}
    </div>
  )
}

function Attempts({ attempts, chosen }: { attempts: AttemptSummary[]; chosen?: string }) {
  return (
    <RecordTable
      label="Attempts"
      heads={['Attempt', 'Version', 'Started', 'Last visit', 'Progress', 'Score', 'State']}
      rows={attempts.map((attempt) => ({
        id: attempt.registrationUid,
        isCurrent: attempt.registrationUid === chosen,
        cells: [
          <Link
            key="name"
            className="celllink"
            to={`?attempt=${attempt.registrationUid}`}
            aria-current={attempt.registrationUid === chosen ? 'true' : undefined}
            preventScrollReset
          >
            <span className="name">{nameOfAttempt(attempt)}</span>
          </Link>,
          `v${attempt.version}`,
          attempt.startedAt,
          attempt.lastVisitedAt,
          formatPercent(attempt.percent),
          formatPercent(attempt.score),
          stateOf(attempt),
        ],
      }))}
    />
  )
}

function stateOf({ isPreview, isOpen, isSatisfied }: AttemptSummary): string {
  if (isPreview) return isOpen ? 'Preview, open' : 'Preview, closed'
  return `${isOpen ? 'Open' : 'Closed'}, ${isSatisfied ? 'satisfied' : 'not satisfied'}`
}
