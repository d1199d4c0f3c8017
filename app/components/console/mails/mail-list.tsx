import { Form, Link } from '@remix-run/react'
import { mailKinds, mailStates } from '~/forms/mails.ts'
import { Empty } from '../../ui/empty.tsx'
import { RecordTable } from '../modules/record-table.tsx'
import { DialogLink } from '../route-dialog.tsx'
import { StatusChip } from '../status-chip.tsx'
import type { MailsView } from './view.ts'

const path = '/dashboard/mails/'

/** Every mail of the site, newest first, with filters. Works without JavaScript. */
export function MailList({ rows, filters, next, newest, isFiltered, timeZone }: MailsView) {
  return (
    <>
      <h1>Mails</h1>
      <p className="muted mb-4">
        Every email that the site sends, and what became of it. The texts are not kept. Times are in {timeZone}.
      </p>
      <Filters filters={filters} isFiltered={isFiltered} />
      {rows.length === 0 ? (
        <Empty icon="message" title={isFiltered || newest ? 'No mails found' : 'No mail yet'}>
          {isFiltered && (
            <Link className="btn btn--secondary" to={path}>
              Show all mails
            </Link>
          )}
        </Empty>
      ) : (
        <RecordTable
          label="Mails"
          heads={['Time', 'Subject', 'Kind', 'To', 'State']}
          rows={rows.map(({ uid, at, subject, kind, to, state }) => ({
            id: uid,
            cells: [
              at,
              <DialogLink key="subject" to={`${path}${uid}/`} discover="none">
                {subject}
              </DialogLink>,
              kind,
              to,
              <StatusChip key="state" status={state.tone} label={state.label} />,
            ],
          }))}
        />
      )}
      {(next || newest) && (
        <p className="flex gap-3 mt-4">
          {newest && (
            <Link className="btn btn--secondary" to={newest}>
              Newest
            </Link>
          )}
          {next && (
            <Link className="btn btn--secondary" to={next}>
              Earlier
            </Link>
          )}
        </p>
      )}
    </>
  )
}

function Filters({ filters, isFiltered }: Pick<MailsView, 'filters' | 'isFiltered'>) {
  const { address, kind, state } = filters
  return (
    <Form key={JSON.stringify(filters)} method="get" action={path} className="flex flex-wrap items-end gap-3 mb-4">
      <div className="field">
        <label htmlFor="mail-address">Address begins with</label>
        <input
          id="mail-address"
          className="input"
          type="search"
          name="address"
          defaultValue={address}
          maxLength={320}
          autoComplete="off"
        />
      </div>
      <Choice name="kind" label="Kind" all="All kinds" options={mailKinds} chosen={kind} />
      <Choice name="state" label="State" all="All states" options={mailStates} chosen={state} />
      <button className="btn btn--primary" type="submit">
        Show
      </button>
      {isFiltered && (
        <Link className="btn btn--quiet" to={path}>
          Clear
        </Link>
      )}
    </Form>
  )
}

type ChoiceProps = { name: string; label: string; all: string; options: Record<string, string>; chosen: string }

function Choice({ name, label, all, options, chosen }: ChoiceProps) {
  return (
    <div className="field">
      <label htmlFor={`mail-${name}`}>{label}</label>
      <select id={`mail-${name}`} className="input" name={name} defaultValue={chosen}>
        <option value="">{all}</option>
        {Object.entries(options).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
