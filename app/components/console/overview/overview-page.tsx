import { Link } from '@remix-run/react'
import { failingDays } from '~/lib/failed-test.ts'
import { RecordTable } from '../modules/record-table.tsx'
import type { OverviewFigure, OverviewView } from './view.ts'

/** What happened lately and what needs somebody. Each figure leads to the page that shows the same. */
export function OverviewPage({ admins, failing }: OverviewView) {
  return (
    <>
      <h1>Overview</h1>
      {admins && (
        <>
          <h2 className="mt-4">The last seven days</h2>
          <p className="muted mb-4">
            {admins.days}, in the time zone {admins.timeZone}. Today is not over.
          </p>
          <Figures figures={admins.lastDays} />
          <h2 className="mt-8 mb-4">Who needs you</h2>
          <Figures figures={admins.toDo} />
        </>
      )}
      <Failing {...failing} />
      {admins?.messages && <Messages {...admins.messages} />}
      {admins && <Searches {...admins.searches} />}
    </>
  )
}

function Figures({ figures }: { figures: OverviewFigure[] }) {
  return (
    <dl className="figures">
      {figures.map(({ label, to, value, note, meaning }) => (
        <div key={label}>
          <dt>
            <Link to={to}>{label}</Link>
          </dt>
          <dd className="voice num">{value}</dd>
          {note && <dd className="num">{note}</dd>}
          <dd className="muted small">{meaning}</dd>
        </div>
      ))}
    </dl>
  )
}

function Failing({ rows }: OverviewView['failing']) {
  return (
    <section aria-labelledby="failing">
      <h2 className="mt-8" id="failing">
        Modules that learners are failing
      </h2>
      <p className="muted mb-4">
        In the last {failingDays} days these learners failed a test that they must pass, and they have not passed it.
      </p>
      {rows.length === 0 ? (
        <p>Nobody is failing a module.</p>
      ) : (
        <RecordTable
          label="Modules that learners are failing"
          heads={['Module', 'Learners']}
          numbers={[false, true]}
          rows={rows.map(({ id, name, to, learners }) => ({
            id,
            cells: [<Name key={id} {...{ name, to }} />, learners],
          }))}
        />
      )}
    </section>
  )
}

function Messages({ figures, rows }: NonNullable<NonNullable<OverviewView['admins']>['messages']>) {
  return (
    <section aria-labelledby="messages">
      <h2 className="mt-8 mb-4" id="messages">
        Messages going out
      </h2>
      <Figures figures={figures} />
      {rows.length > 0 && (
        <>
          <p className="muted mt-4 mb-4">
            An email is in doubt when it was handed over and no answer came. First are the messages that wait for you.
          </p>
          <RecordTable
            label="Messages going out"
            heads={['Message', 'State', 'Emails in doubt']}
            numbers={[false, false, true]}
            rows={rows.map(({ id, name, to, state, inDoubt }) => ({
              id,
              cells: [<Name key={id} {...{ name, to }} />, state, inDoubt],
            }))}
          />
        </>
      )}
    </section>
  )
}

function Searches({ to, rows }: NonNullable<OverviewView['admins']>['searches']) {
  return (
    <section aria-labelledby="searches">
      <h2 className="mt-8" id="searches">
        Searches without results
      </h2>
      <p className="muted mb-4">
        What people searched for in the last seven days and did not find. <Link to={to}>All search terms</Link>
      </p>
      {rows.length === 0 ? (
        <p>Every search found something.</p>
      ) : (
        <RecordTable
          label="Searches without results"
          heads={['Search term', 'Without results', 'Searches']}
          numbers={[false, true, true]}
          rows={rows.map(({ term, without, searches }) => ({
            id: term,
            cells: [
              <span key={term} className="name" title={term}>
                {term}
              </span>,
              without,
              searches,
            ],
          }))}
        />
      )}
    </section>
  )
}

function Name({ name, to }: { name: string; to: string }) {
  return (
    <Link className="celllink" to={to}>
      <span className="name" title={name}>
        {name}
      </span>
    </Link>
  )
}
