import { Link, useLocation } from '@remix-run/react'
import { whyNotWaived } from '~/forms/attempts.ts'
import { formatPercent } from '~/lib/percent.ts'
import { Icon } from '../../ui/icon.tsx'
import { NoPage, PageLink } from '../../ui/pages.tsx'
import { StatementLine } from '../statements/statement-line.tsx'
import { attemptSearch } from './attempt-address.ts'
import {
  type AttemptRecords,
  nameOfAttempt,
  type SessionRecord,
  type StatementRecord,
  type UnitRecord,
} from './attempt-view.ts'
import { RecordTable } from './record-table.tsx'

type Props = {
  attempt: AttemptRecords
  learner: { uid: string }
  module: { uid: string; readyVersions: number }
}

export function AttemptDetail({ attempt, learner, module }: Props) {
  const name = nameOfAttempt(attempt)
  const { search } = useLocation()
  const addressOf = (what: string) =>
    `/dashboard/modules/${module.uid}/learners/${learner.uid}/${what}/${attemptSearch(search, attempt.registrationUid)}`
  const canMove = attempt.isOpen && !attempt.isPreview && module.readyVersions > 1
  return (
    <>
      <section aria-labelledby="units">
        <div className="headline">
          <h2 id="units">Units of {name}</h2>
          {canMove && (
            <Link className="btn btn--secondary" to={addressOf('move')} preventScrollReset>
              Move to another version
            </Link>
          )}
        </div>
        <Units attempt={attempt} addressOf={addressOf} />
      </section>
      <section aria-labelledby="launches">
        <h2 id="launches">Launches of {name}</h2>
        {attempt.sessionCount > attempt.sessions.length && (
          <p className="muted small">
            The newest {attempt.sessions.length} of {attempt.sessionCount.toLocaleString('en')}.
          </p>
        )}
        <Sessions sessions={attempt.sessions} addressOf={addressOf} />
      </section>
      <section aria-labelledby="statements">
        <h2 id="statements">Statements of {name}</h2>
        <p className="muted small">
          Newest first. Voided statements stay in the list. They were withdrawn by their sender, or they broke the rules
          of cmi5.
        </p>
        <Statements attempt={attempt} />
      </section>
    </>
  )
}

type AddressOf = (what: string) => string

function Units({ attempt, addressOf }: { attempt: AttemptRecords; addressOf: AddressOf }) {
  const { units } = attempt
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
        actions: <UnitActions unit={unit} canWaive={whyNotWaived(attempt, unit) === null} addressOf={addressOf} />,
      }))}
      hasActions
    />
  )
}

function UnitActions({ unit, canWaive, addressOf }: { unit: UnitRecord; canWaive: boolean; addressOf: AddressOf }) {
  return (
    <>
      {unit.isElsewhere ? (
        <p className="small muted">Opens in another program</p>
      ) : (
        <Link
          className="btn btn--quiet"
          to={addressOf(`launch/${unit.uid}`)}
          aria-label={`Launch ${unit.title}`}
          preventScrollReset
        >
          Launch
        </Link>
      )}
      {canWaive && (
        <Link
          className="btn btn--quiet"
          to={addressOf(`waive/${unit.uid}`)}
          aria-label={`Waive ${unit.title}`}
          preventScrollReset
        >
          Waive
        </Link>
      )}
    </>
  )
}

/** Shows the launches in which something happened, and folds those whose unit never started. */
function Sessions({ sessions, addressOf }: { sessions: SessionRecord[]; addressOf: AddressOf }) {
  if (sessions.length === 0) return <p className="muted">Nothing has been launched in this attempt.</p>
  const unbegun = sessions.filter(({ isUnbegun }) => isUnbegun)
  const others = sessions.filter(({ isUnbegun }) => !isUnbegun)
  return (
    <>
      {others.length > 0 && <SessionTable label="Launches" sessions={others} addressOf={addressOf} />}
      {unbegun.length > 0 && (
        <details className="unbegun">
          <summary>
            <Icon name="chevron" className="i--turn" />
            {unbegun.length === 1 ? '1 launch never began' : `${unbegun.length} launches never began`}
          </summary>
          <SessionTable label="Launches that never began" sessions={unbegun} addressOf={addressOf} />
        </details>
      )}
    </>
  )
}

function SessionTable({
  label,
  sessions,
  addressOf,
}: {
  label: string
  sessions: SessionRecord[]
  addressOf: AddressOf
}) {
  const isAnyOpen = sessions.some(({ state }) => state === 'open')
  return (
    <RecordTable
      label={label}
      heads={['Unit', 'Mode', 'Launched', 'Began', 'Ended', 'Last seen', 'Duration']}
      rows={sessions.map((session) => ({
        id: session.uid,
        cells: [
          <span key="unit" className="name" title={session.unit}>
            {session.unit}
          </span>,
          <ModeOfSession key="mode" {...session} />,
          session.launchedAt,
          session.initializedAt ?? 'Never',
          endOf(session),
          session.lastSeenAt,
          session.time ?? '–',
        ],
        actions: session.state === 'open' && (
          <Link
            className="btn btn--quiet"
            to={addressOf(`abandon/${session.uid}`)}
            aria-label={`Abandon the session of ${session.unit}`}
            preventScrollReset
          >
            Abandon
          </Link>
        ),
      }))}
      hasActions={isAnyOpen}
    />
  )
}

function ModeOfSession({ mode, launchedBy }: SessionRecord) {
  const text = launchedBy ? `${mode}, by ${launchedBy}` : mode
  return (
    <span className="two" title={text}>
      {text}
    </span>
  )
}

/** Says when and how a session ended. A terminated session (cmi5) ended normally. */
function endOf({ state, endedAt, abandonedBy }: SessionRecord): string {
  if (state === 'open') return 'Still open'
  if (state === 'terminated') return endedAt ?? 'Yes'
  const abandoned = `Abandoned${abandonedBy === null ? '' : ` ${endings[abandonedBy.what] ?? `by ${abandonedBy.who}`}`}`
  return endedAt === null ? abandoned : `${abandoned}, ${endedAt}`
}

const endings = {
  staff: null,
  launch: 'because a unit was opened later',
  attempt: 'at the end of the attempt',
  time: 'after a long time without activity',
}

function Statements({ attempt }: { attempt: AttemptRecords }) {
  const { statements, before, next, registrationUid } = attempt
  const { search } = useLocation()
  return (
    <>
      {statements.length === 0 ? (
        <p className="muted">{before ? 'There are no older statements.' : 'Nothing has been recorded yet.'}</p>
      ) : (
        <ol className="statements">
          {runsOf(statements).map(({ isFolded, statements }) =>
            isFolded ? (
              <FoldedStatements key={statements[0]?.seq} statements={statements} />
            ) : (
              statements.map((statement) => <StatementLine key={statement.seq} {...statement} />)
            ),
          )}
        </ol>
      )}
      {(before || next) && (
        <nav className="pages" aria-label="Pages">
          <ul>
            <li>
              {before ? (
                <PageLink to={attemptSearch(search, registrationUid)} label="Newest" icon="left" />
              ) : (
                <NoPage icon="left" />
              )}
            </li>
            <li>
              {next ? (
                <PageLink to={attemptSearch(search, registrationUid, next)} label="Older" icon="right" />
              ) : (
                <NoPage icon="right" />
              )}
            </li>
          </ul>
        </nav>
      )}
    </>
  )
}

type StatementRun = { isFolded: boolean; statements: StatementRecord[] }

/** Splits the list where statements of launches that never began follow others. */
function runsOf(statements: StatementRecord[]): StatementRun[] {
  const runs: StatementRun[] = []
  for (const statement of statements) {
    const run = runs.at(-1)
    if (run?.isFolded === statement.isOfUnbegunLaunch) run.statements.push(statement)
    else runs.push({ isFolded: statement.isOfUnbegunLaunch, statements: [statement] })
  }
  return runs
}

function FoldedStatements({ statements }: { statements: StatementRecord[] }) {
  return (
    <li>
      <details>
        <summary>
          <Icon name="chevron" className="i--turn" />
          <span className="muted">
            {statements.length === 1 ? '1 record' : `${statements.length} records`} of launches that never began
          </span>
        </summary>
        <ol className="statements">
          {statements.map((statement) => (
            <StatementLine key={statement.seq} {...statement} />
          ))}
        </ol>
      </details>
    </li>
  )
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
