import { Link, useLocation } from '@remix-run/react'
import { useMemo } from 'react'
import { outcomeOptions, sentRecipientsTable } from '~/forms/sent-recipients.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { Empty } from '../../ui/empty.tsx'
import { CsvLink } from '../csv-link.tsx'
import { type Column, DataGrid, type Filter, type TablePage } from '../grid/data-grid.tsx'
import { DialogLink } from '../route-dialog.tsx'
import { messagesPath } from './messages-table.tsx'
import type { RecipientStory, SentRecipientRow } from './view.ts'

type Props = { uid: string; fileName: string; page: TablePage<SentRecipientRow> }

/** The tab "Recipients" (C-067). A name leads to everything that happened to the message for that person. */
export function SentRecipients({ uid, fileName, page }: Props) {
  const path = `${messagesPath}${uid}/recipients/`
  const columns = useMemo(() => columnsOf(path), [path])
  return (
    <DataGrid
      table={sentRecipientsTable}
      label="Recipients"
      path={path}
      source={path}
      page={page}
      columns={columns}
      filters={filters}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      searchLabel="Search name or email"
      toolbar={
        page.listed > 0 && (
          <CsvLink
            href={`/api/reports/announcements/recipients/?uid=${uid}`}
            fileName={fileName}
            label="Export CSV"
            rows={null}
          />
        )
      }
      empty={
        <Empty icon="person" title="No recipients">
          <p>Nobody has been chosen for this message.</p>
        </Empty>
      }
    />
  )
}

const filters: Filter<SentRecipientRow>[] = [
  { name: 'outcome', label: 'What became of it', options: outcomeOptions, valuesOf: () => [] },
]

/** Takes the places of both tables along, so that the way back leads there. */
function StoryLink({ to, name }: { to: string; name: string }) {
  return (
    <Link className="celllink" to={to + tableSearch(useLocation().search)} preventScrollReset discover="none">
      <span className="name" title={name}>
        {name}
      </span>
    </Link>
  )
}

function columnsOf(path: string): readonly Column<SentRecipientRow>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      value: ({ name }) => name,
      cell: ({ uid, name }) => (uid ? <StoryLink to={`${path}${uid}/`} name={name} /> : name),
      isSearched: true,
      isLead: true,
      width: 180,
      grow: 2,
    },
    { id: 'status', header: 'Status', value: ({ status }) => status, width: 100 },
    {
      id: 'email',
      header: 'Email',
      value: ({ email }) => email,
      cell: ({ email }) => (
        <span className="cut" title={email}>
          {email}
        </span>
      ),
      isSearched: true,
      width: 200,
      grow: 2,
    },
    {
      id: 'outcome',
      header: 'What became of it',
      value: ({ outcome }) => outcome,
      cell: ({ outcome, detail }) => (
        <>
          {outcome}
          {detail && (
            <span className="muted small chipnote" title={detail}>
              {detail}
            </span>
          )}
        </>
      ),
      width: 200,
      grow: 2,
    },
  ]
}

/** What happened to a message for one person, step by step. */
export function StoryOfRecipient({ messageUid, story }: { messageUid: string; story: RecipientStory }) {
  const { name, email, status, outcome, steps, inDoubt } = story
  const list = `${messagesPath}${messageUid}/recipients/`
  return (
    <div className="formstack">
      <p>
        <Link to={list + tableSearch(useLocation().search)} preventScrollReset>
          All recipients
        </Link>
      </p>
      <div>
        <h3>{name}</h3>
        <p className="muted">{[email, status, outcome].filter((part) => part !== '').join(' · ')}</p>
      </div>
      <ol className="grid gap-3">
        {steps.map(({ at, what, words }) => (
          <li key={what}>
            <strong>{what}</strong>
            {at && <span className="muted num"> {at}</span>}
            {words && <span className="block muted small wrap-anywhere">{words}</span>}
          </li>
        ))}
      </ol>
      {inDoubt && (
        <p>
          <DialogLink className="btn btn--secondary" to={`${messagesPath}${messageUid}/resend/?mail=${inDoubt}`}>
            Send again
          </DialogLink>
        </p>
      )}
    </div>
  )
}
