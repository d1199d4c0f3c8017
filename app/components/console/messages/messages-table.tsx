import { useLocation, useRevalidator } from '@remix-run/react'
import { useEffect, useMemo } from 'react'
import { messageStateOptions, messagesTable, mostCompared, mostComparedNote } from '~/forms/announcement-tables.ts'
import { Empty } from '../../ui/empty.tsx'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { type Column, DataGrid, type Filter, type TablePage } from '../grid/data-grid.tsx'
import { RowActions, RowLink } from '../grid/row-actions.tsx'
import { OutboxNotice } from '../outbox-notice.tsx'
import { DialogLink } from '../route-dialog.tsx'
import { StatusChip } from '../status-chip.tsx'
import type { MessageRow } from './view.ts'

export const messagesPath = '/dashboard/messages/'

type Props = {
  page: TablePage<MessageRow> & { isSending: boolean }
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
}

export function MessagesTable({ page, selected, onSelect }: Props) {
  const { pathname } = useLocation()
  // Under a dialog it would take away what the dialog's form was answered.
  useSendingProgress(page.isSending && pathname === messagesPath)
  const filters = useMemo(() => [statusFilter], [])
  return (
    <>
      <header>
        <h1>Manage Messages</h1>
      </header>
      <OutboxNotice />
      <DataGrid
        table={messagesTable}
        label="Messages"
        path={messagesPath}
        source="/dashboard/messages-rows/"
        page={page}
        columns={columns}
        filters={filters}
        rowId={({ uid }) => uid}
        rowName={({ name }) => name}
        searchLabel="Search messages"
        actions={(row) => <Actions row={row} />}
        actionCount={3}
        selection={{
          selected,
          onChange: onSelect,
          whyNot: ({ status }) => (status === 'sent' ? null : 'Only sent messages can be selected.'),
          max: mostCompared,
          action: `${messagesPath}compare/`,
          actions: (
            <>
              <span className="muted">{mostComparedNote}</span>
              <CompareButton count={selected.size} />
            </>
          ),
        }}
        toolbar={
          <>
            {page.total === 0 ? (
              <button className="btn btn--secondary" type="button" disabled>
                <Icon name="download" />
                EXPORT REPORT
              </button>
            ) : (
              <DialogLink className="btn btn--secondary" to={`${messagesPath}export/`}>
                <Icon name="download" />
                EXPORT REPORT
              </DialogLink>
            )}
            <DialogLink className="btn btn--primary" to={`${messagesPath}new/`}>
              <ConsoleIcon name="plus" />
              CREATE MESSAGE
            </DialogLink>
          </>
        }
        noneFound={noMessages}
        empty={
          <Empty icon="message" title={noMessages}>
            <p>A message goes to learners by email or onto their dashboard.</p>
          </Empty>
        }
      />
    </>
  )
}

const noMessages = 'No Messages'

/** Without JavaScript the number of checked rows is known only when they are sent. */
function CompareButton({ count }: { count: number }) {
  const isHydrated = useHydrated()
  return (
    <button className="btn btn--primary" type="submit" disabled={isHydrated && count < 2}>
      COMPARE
    </button>
  )
}

/** While a message is being sent, the page follows it. */
export function useSendingProgress(isSending: boolean): void {
  const { revalidate } = useRevalidator()
  useEffect(() => {
    if (!isSending) return
    const timer = setInterval(() => document.hidden || revalidate(), 3000)
    return () => clearInterval(timer)
  }, [isSending, revalidate])
}

const statusFilter: Filter<MessageRow> = {
  name: 'status',
  label: 'Status',
  options: messageStateOptions,
  valuesOf: ({ status }) => [status],
}

const columns: readonly Column<MessageRow>[] = [
  {
    id: 'name',
    header: 'Name',
    value: ({ name }) => name,
    cell: ({ uid, name, subject }) => (
      <>
        <DialogLink className="name" to={`${messagesPath}${uid}/`} title={name} discover="none">
          {name}
        </DialogLink>
        <span className="muted small block max-w-full truncate" title={subject}>
          {subject}
        </span>
      </>
    ),
    searched: ({ name }) => [name],
    isLead: true,
    width: 220,
    grow: 2,
  },
  {
    id: 'status',
    header: 'Status',
    value: ({ status }) => status,
    cell: ({ uid, name, status, note, isLate }) => (
      <>
        <StatusChip status={status} />
        {note && (
          <span className="muted small chipnote">
            {note}
            {isLate && (
              <>
                {'. '}
                <DialogLink to={`${messagesPath}${uid}/late/`} aria-label={`Decide on ${name}`} discover="none">
                  Decide
                </DialogLink>
              </>
            )}
          </span>
        )}
      </>
    ),
    width: 140,
  },
  {
    id: 'recipients',
    header: 'Recipients',
    value: ({ people }) => people,
    cell: (row) => <RecipientsCell row={row} />,
    width: 200,
    grow: 1,
  },
  { id: 'author', header: 'Author', value: ({ author }) => author || null, width: 110, isMinor: true },
  { id: 'updated', header: 'Last Updated', value: ({ updatedOn }) => updatedOn, width: 112 },
  { id: 'sent', header: 'Sent', value: ({ sentOn }) => sentOn, cell: ({ sentOn }) => sentOn ?? '', width: 112 },
]

/** The first two names, then how many more there are (C-024); nothing for nobody. */
function RecipientsCell({ row: { recipients, people, audiences } }: { row: MessageRow }) {
  const more = people - recipients.length
  return (
    <>
      {recipients.join(', ')}
      {more > 0 && ` +${more.toLocaleString('en')} more`}
      {audiences.length > 0 && (
        <span className="muted small chipnote">
          {people > 0 ? 'and everybody' : 'Everybody'} in {audiences.slice(0, 2).join(', ')}
          {audiences.length > 2 && ` +${audiences.length - 2} more`}
        </span>
      )}
    </>
  )
}

function Actions({ row: { uid, name, isEditable } }: { row: MessageRow }) {
  return (
    <RowActions name={name}>
      {isEditable ? (
        <RowLink icon="edit" word="Edit" label={`Edit ${name}`} to={`${messagesPath}${uid}/`} />
      ) : (
        <RowLink icon="eye" word="View" label={`View ${name}`} to={`${messagesPath}${uid}/`} />
      )}
      <RowLink icon="file" word="Duplicate" label={`Duplicate ${name}`} to={`${messagesPath}${uid}/duplicate/`} />
      <RowLink icon="trash" word="Remove" label={`Remove ${name}`} to={`${messagesPath}${uid}/delete/`} />
    </RowActions>
  )
}
