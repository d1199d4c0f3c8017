import { Link } from '@remix-run/react'
import { useId } from 'react'
import { statementVerbs } from '~/forms/statements.ts'
import { Empty } from '../../ui/empty.tsx'
import { CursorLinks } from '../cursor-links.tsx'
import { FilterForm, FilterInput } from '../filter-form.tsx'
import { FilterSelect } from '../filter-select.tsx'
import { StatementLine } from './statement-line.tsx'
import type { StatementsView } from './view.ts'

const path = '/dashboard/statements/'

/** The statements of the site, newest first, with filters. Works without JavaScript. */
export function StatementBrowser(view: StatementsView) {
  const { rows, filters, modules, problem, next, newest, isFiltered, timeZone } = view
  return (
    <>
      <h1>Statements</h1>
      <p className="muted mb-4">
        Everything in the learning record store, newest first. Voided statements are left out, as in /xapi/. Each has
        the time at which it was stored, in {timeZone}.
      </p>
      <Filters filters={filters} isFiltered={isFiltered} modules={modules} />
      {problem && (
        <p className="notice" role="alert">
          {problem}
        </p>
      )}
      {!problem && rows.length === 0 && (
        <Empty icon="search" title={isFiltered || newest ? 'No statements found' : 'No statements yet'}>
          {isFiltered ? (
            <Link className="btn btn--secondary" to={path}>
              Show all statements
            </Link>
          ) : (
            <p>What people do in modules appears here.</p>
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <ol className="statements">
          {rows.map(({ seq, personTo, registrationTo, activityTo, ...line }) => (
            <StatementLine key={seq} {...line}>
              <p className="links">
                {personTo && <Link to={personTo}>Show the person</Link>}
                {registrationTo && <Link to={registrationTo}>All of this registration</Link>}
                {activityTo && <Link to={activityTo}>All of this activity</Link>}
              </p>
            </StatementLine>
          ))}
        </ol>
      )}
      <CursorLinks newest={newest} next={next} />
    </>
  )
}

function Filters({ filters, isFiltered, modules }: Pick<StatementsView, 'filters' | 'isFiltered' | 'modules'>) {
  const moduleNames = useId()
  const { person, verb, activity, registration, from, to, related } = filters
  const verbs = verb === '' || verb in statementVerbs ? statementVerbs : { ...statementVerbs, [verb]: verb }
  return (
    <FilterForm path={path} filters={filters} isFiltered={isFiltered}>
      <FilterInput name="person" label="Name, email or account ID" defaultValue={person} maxLength={320} />
      <FilterSelect name="verb" label="Verb" all="All verbs" options={verbs} chosen={verb} />
      <FilterInput
        name="activity"
        label="Module or activity (IRI)"
        defaultValue={activity}
        maxLength={2000}
        list={moduleNames}
      />
      <datalist id={moduleNames}>
        {modules.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <FilterInput name="registration" label="Registration" defaultValue={registration} maxLength={100} />
      <FilterInput name="from" label="Stored from" type="date" defaultValue={from} />
      <FilterInput name="to" label="Stored to" type="date" defaultValue={to} />
      <label className="tick">
        <input type="checkbox" name="related" value="1" defaultChecked={related !== ''} />
        Also where they are only mentioned
      </label>
    </FilterForm>
  )
}
