import { Link } from '@remix-run/react'
import { mailKinds, mailStates } from '~/forms/mails.ts'
import { Empty } from '../../ui/empty.tsx'
import { CursorLinks } from '../cursor-links.tsx'
import { FilterForm, FilterInput } from '../filter-form.tsx'
import { FilterSelect } from '../filter-select.tsx'
import { RecordTable } from '../modules/record-table.tsx'
import { OutboxNotice } from '../outbox-notice.tsx'
import { DialogLink } from '../route-dialog.tsx'
import { StatusChip } from '../status-chip.tsx'
import type { MailsView } from './view.ts'

const path = '/dashboard/mails/'

/** Every mail of the site, newest first, with filters. Works without JavaScript. */
export function MailList({ rows, filters, next, newest, isFiltered, timeZone }: MailsView) {
  return (
    <>
      <h1>Emails</h1>
      <p className="muted mb-4">
        Every email that the site sends, and what became of it. The texts are not kept. Times are in {timeZone}.
      </p>
      <OutboxNotice />
      <Filters filters={filters} isFiltered={isFiltered} />
      {rows.length === 0 ? (
        <Empty icon="message" title={isFiltered || newest ? 'No emails found' : 'No emails yet'}>
          {isFiltered && (
            <Link className="btn btn--secondary" to={path}>
              Show all emails
            </Link>
          )}
        </Empty>
      ) : (
        <RecordTable
          label="Emails"
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
      <CursorLinks newest={newest} next={next} />
    </>
  )
}

function Filters({ filters, isFiltered }: Pick<MailsView, 'filters' | 'isFiltered'>) {
  const { address, kind, state } = filters
  return (
    <FilterForm path={path} filters={filters} isFiltered={isFiltered}>
      <FilterInput name="address" label="Address begins with" defaultValue={address} maxLength={320} />
      <FilterSelect name="kind" label="Kind" all="All kinds" options={mailKinds} chosen={kind} />
      <FilterSelect name="state" label="State" all="All states" options={mailStates} chosen={state} />
    </FilterForm>
  )
}
