import { formatPercent } from '~/lib/percent.ts'
import { Icon } from '../../ui/icon.tsx'
import { NoPage, PageLink } from '../../ui/pages.tsx'
import {
  type AttemptRecords,
  nameOfAttempt,
  type SessionRecord,
  type StatementRecord,
  type UnitRecord,
} from './attempt-view.ts'
import { RecordTable } from './record-table.tsx'

export function AttemptDetail({ attempt }: { attempt: AttemptRecords }) {
  const name = nameOfAttempt(attempt)
  return (
    <>
      <section aria-labelledby="units">
        <h2 id="units">Units of {name}</h2>
        <Units units={attempt.units} />
      </section>
      <section aria-labelledby="launches">
        <h2 id="launches">Launches of {name}</h2>
        {attempt.sessionCount > attempt.sessions.length && (
          <p className="muted small">
            The newest {attempt.sessions.length} of {attempt.sessionCount.toLocaleString('en')}.
          </p>
        )}
        <Sessions sessions={attempt.sessions} />
      </section>
      <section aria-labelledby="statements">
        <h2 id="statements">What was recorded in {name}</h2>
        <p className="muted small">Newest first. What was withdrawn stays here and counts no more.</p>
        <Statements attempt={attempt} />
      </section>
    </>
  )
}

function Units({ units }: { units: UnitRecord[] }) {
  if (units.length === 0) return <p className="muted">The package of this version has no units.</p>
  return (
    <RecordTable
      label="Units"
      heads={['Unit', 'State', 'Progress', 'Score', 'Time', 'Last visit']}
      rows={units.map((unit) => ({
        id: unit.uid,
        cells: [
          <span key="title" className="name" title={unit.title}>
            {unit.title}
          </span>,
          sentenceCase(unit.state) + (unit.waiveReason ? `: ${unit.waiveReason}` : ''),
          formatPercent(unit.percent),
          formatPercent(unit.score),
          unit.time ?? '–',
          unit.lastVisitedAt ?? '–',
        ],
      }))}
    />
  )
}

function Sessions({ sessions }: { sessions: SessionRecord[] }) {
  if (sessions.length === 0) return <p className="muted">Nothing was launched in it.</p>
  return (
    <RecordTable
      label="Launches"
      heads={['Unit', 'Mode', 'Launched', 'Initialized', 'Ended', 'Last seen', 'Duration']}
      rows={sessions.map((session) => ({
        id: session.uid,
        cells: [
          <span key="unit" className="name" title={session.unit}>
            {session.unit}
          </span>,
          session.mode,
          session.launchedAt,
          session.initializedAt ?? 'Never',
          session.state === 'open'
            ? 'Open'
            : `${sentenceCase(session.state)}${session.endedAt ? `, ${session.endedAt}` : ''}`,
          session.lastSeenAt,
          session.time ?? '–',
        ],
      }))}
    />
  )
}

function Statements({ attempt }: { attempt: AttemptRecords }) {
  const { statements, before, next, registrationUid } = attempt
  const here = `?attempt=${registrationUid}`
  return (
    <>
      {statements.length === 0 ? (
        <p className="muted">{before ? 'There is nothing older.' : 'Nothing is recorded yet.'}</p>
      ) : (
        <ol className="statements">
          {statements.map((statement) => (
            <StatementLine key={statement.seq} {...statement} />
          ))}
        </ol>
      )}
      {(before || next) && (
        <nav className="pages" aria-label="Pages">
          <ul>
            <li>{before ? <PageLink to={here} label="Newest" icon="left" /> : <NoPage icon="left" />}</li>
            <li>
              {next ? <PageLink to={`${here}&before=${next}`} label="Older" icon="right" /> : <NoPage icon="right" />}
            </li>
          </ul>
        </nav>
      )}
    </>
  )
}

function StatementLine({ at, isVoided, words, json }: StatementRecord) {
  return (
    <li className={isVoided ? 'is-voided' : undefined}>
      <details>
        <summary>
          <Icon name="chevron" className="i--turn" />
          <span>
            <span className="muted num">{at}</span> <span className="sentence">{words.sentence}</span>
            {isVoided && <strong> Voided</strong>}
          </span>
        </summary>
        <dl className="facts">
          <dt>Verb</dt>
          <dd>{words.verb}</dd>
          <dt>Object</dt>
          <dd>{words.object}</dd>
          <dt>Result</dt>
          <dd>{words.details.length === 0 ? '–' : words.details.join(', ')}</dd>
        </dl>
        <pre>{json}</pre>
      </details>
    </li>
  )
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
