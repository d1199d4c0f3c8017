import { Link, useLocation } from '@remix-run/react'
import { formatPercent } from '~/lib/percent.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { useShell } from '../../layout/shell.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Empty } from '../../ui/empty.tsx'
import { attemptSearch } from './attempt-address.ts'
import { AttemptDetail } from './attempt-detail.tsx'
import { type AttemptRecords, type AttemptSummary, nameOfAttempt } from './attempt-view.ts'
import { RecordTable } from './record-table.tsx'

type Props = {
  learner: { uid: string; name: string; email: string }
  module: { uid: string; name: string; readyVersions: number }
  timeZone: string
  attempts: AttemptSummary[]
  chosen: AttemptRecords | null
}

/** The attempts of one person at one module, and one of them with its units, launches and statements. */
export function LearnerAttempts({ learner, module, timeZone, attempts, chosen }: Props) {
  const { search } = useLocation()
  const isAdmin = useShell().viewer?.isAdmin === true
  return (
    <div className="records">
      <div className="records-head">
        <BackLink to={`/dashboard/modules/${module.uid}/report/learners/${tableSearch(search)}`}>
          Learners of {module.name}
        </BackLink>
        <h1>{learner.name}</h1>
        <p className="muted">
          {learner.email && learner.email !== learner.name && `${learner.email} · `}
          {module.name}
        </p>
        {isAdmin && <Link to={`/dashboard/users/${learner.uid}/progress/`}>Profile and progress</Link>}
      </div>
      {attempts.length === 0 ? (
        <Empty icon="clock" title={`${learner.name} has not opened this module yet`}>
          <p>Attempts appear here after the first launch.</p>
        </Empty>
      ) : (
        <>
          <section aria-labelledby="attempts">
            <h2 id="attempts">Attempts</h2>
            <p className="muted small">Times are in {timeZone}. Previews do not count as attempts.</p>
            <Attempts attempts={attempts} chosen={chosen?.registrationUid} />
          </section>
          {chosen && <AttemptDetail attempt={chosen} learner={learner} module={module} />}
        </>
      )}
    </div>
  )
}

function Attempts({ attempts, chosen }: { attempts: AttemptSummary[]; chosen?: string }) {
  const { search } = useLocation()
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
            to={attemptSearch(search, attempt.registrationUid)}
            aria-current={attempt.registrationUid === chosen ? 'true' : undefined}
            preventScrollReset
          >
            <span className="name">{nameOfAttempt(attempt)}</span>
          </Link>,
          `v${attempt.version}`,
          attempt.startedAt ?? '–',
          attempt.lastVisitedAt ?? '–',
          formatPercent(attempt.percent),
          formatPercent(attempt.score),
          stateOf(attempt),
        ],
      }))}
    />
  )
}

/** Returns the state in words. People read "completed" where cmi5 says "satisfied". */
function stateOf({ isPreview, isOpen, isSatisfied, movedToVersion }: AttemptSummary): string {
  if (isPreview) return isOpen ? 'Preview, open' : 'Preview, closed'
  if (movedToVersion !== null) return `${isSatisfied ? 'Completed, moved' : 'Moved'} to v${movedToVersion}`
  if (isSatisfied) return 'Completed'
  return isOpen ? 'In progress' : 'Ended, not completed'
}
