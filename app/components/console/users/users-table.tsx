import { Link, useLocation } from '@remix-run/react'
import { type ReactNode, useMemo, useState } from 'react'
import { mostAssignees } from '~/forms/assignments.ts'
import { newMessageFor } from '~/forms/recipients.ts'
import { deletedUsersPath } from '~/forms/trash.ts'
import {
  dueChoices,
  expiryChoices,
  groupChoices,
  loginChoices,
  mostUsersAtOnce,
  noneOfThem,
  statusesOfTab,
  type UserTab,
  userStatusLabels,
  userTabLabels,
  userTables,
  userTabs,
} from '~/forms/user-tables.ts'
import { type FilterOption, readTableQuery } from '~/lib/table-query.ts'
import { useShell } from '../../layout/shell.ts'
import { Empty } from '../../ui/empty.tsx'
import { BulkNotice } from '../bulk/bulk-notice.tsx'
import type { BulkView } from '../bulk/view.ts'
import { ConsoleIcon } from '../console-icon.tsx'
import { DataGrid, type Filter, type TablePage } from '../grid/data-grid.tsx'
import { RowActions, RowLink } from '../grid/row-actions.tsx'
import { useMayWrite, WriteTo, WriteToSelected } from '../messages/write-to.tsx'
import { OutboxNotice } from '../outbox-notice.tsx'
import { DialogLink } from '../route-dialog.tsx'
import { columnsOfTab } from './user-columns.tsx'
import type { UserRow } from './view.ts'

type Props = {
  tab: UserTab
  page: TablePage<UserRow>
  counts: Record<UserTab, number>
  options: { institution: FilterOption[]; plan: FilterOption[] }
  notices: { operation: BulkView; details: string }[]
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
}

const path = '/dashboard/users/'

/** The users of the site on three tabs. Each tab has an address of its own, so it also works without JavaScript. */
export function UsersTable({ tab, page, counts, options, notices, selected, onSelect }: Props) {
  const source = `/dashboard/users-rows/${tab}/`
  const { assignVerb } = useShell().brand
  const mayWrite = useMayWrite()
  const filters = useMemo(() => filtersOf(tab, source, options), [tab, source, options])
  const query = readTableQuery(new URLSearchParams(useLocation().search), userTables[tab])
  /** What the browser finds in a short list, without asking the server. */
  const [live, setLive] = useState<UserRow[] | null>(null)
  const found = live ? live.length : page.total
  return (
    <>
      <header>
        <h1>Manage Users</h1>
      </header>
      <nav className="tabs mb-6" aria-label="Kinds of users">
        {userTabs.map((one) => (
          <Link
            key={one}
            to={addressOfTab(one, query.search)}
            aria-current={one === tab ? 'page' : undefined}
            preventScrollReset
            prefetch="none"
          >
            {userTabLabels[one]} ({counts[one].toLocaleString('en')})
          </Link>
        ))}
      </nav>
      {tab === 'pending' && <OutboxNotice />}
      {notices.map((notice) => (
        <BulkNotice key={notice.operation.uid} {...notice} canUndo={false} />
      ))}
      <DataGrid
        key={tab}
        table={userTables[tab]}
        label={userTabLabels[tab]}
        path={path}
        source={source}
        page={page}
        columns={columnsOfTab(tab)}
        filters={filters}
        rowId={({ uid }) => uid}
        rowName={({ name }) => name}
        searchLabel="Search name or email"
        // A pending user is edited by the name, so that only invitations are handled here.
        actions={tab === 'pending' ? undefined : (row) => <Actions row={row} />}
        actionCount={2}
        selection={tab !== 'admins' || mayWrite ? selectionOf(tab, selected, onSelect, assignVerb) : undefined}
        toolbar={tab === 'learners' && selected.size > 0 ? null : <Toolbar tab={tab} found={found} />}
        onFound={setLive}
        empty={<NoUsers tab={tab} />}
        noneFoundNote={query.search !== '' && <OtherTabs tab={tab} search={query.search} />}
      />
      <p className="mt-4">
        <Link to={deletedUsersPath}>Deleted accounts</Link>
      </p>
    </>
  )
}

function Toolbar({ tab, found }: { tab: UserTab; found: number }) {
  const { assignedLabel } = useShell().brand
  const { search } = useLocation()
  const query = readTableQuery(new URLSearchParams(search), userTables[tab])
  const isFiltered = query.search !== '' || Object.keys(query.filters).length > 0
  return (
    <>
      {isFiltered && found > 0 && (
        <WriteTo choose="users" value={search} isQuiet>
          Write to everybody found
        </WriteTo>
      )}
      {tab === 'pending' && (
        <DialogLink className="btn btn--quiet" to={`${path}invitations/`}>
          Invited lists
        </DialogLink>
      )}
      {tab === 'learners' && (
        <DialogLink className="btn btn--quiet" to={`${path}assigned/`}>
          {assignedLabel} content
        </DialogLink>
      )}
      <DialogLink className="btn btn--primary" to={`${path}invite/`}>
        <ConsoleIcon name="plus" />
        Invite User
      </DialogLink>
    </>
  )
}

/** Leads to the same search on the other tabs. */
function OtherTabs({ tab, search }: { tab: UserTab; search: string }) {
  const [first, second] = userTabs
    .filter((other) => other !== tab)
    .map((other) => (
      <Link key={other} to={addressOfTab(other, search)} preventScrollReset prefetch="none">
        {userTabLabels[other]}
      </Link>
    ))
  return (
    <p>
      You can also look under {first} or {second}.
    </p>
  )
}

/** Another tab keeps the search, for whoever does not know on which tab a person is. Filters differ from tab to tab. */
function addressOfTab(tab: UserTab, search: string): string {
  const params = new URLSearchParams({ ...(tab !== 'learners' && { tab }), ...(search !== '' && { search }) })
  return params.size === 0 ? path : `${path}?${params}`
}

/** Content is assigned to learners (C-086), invitations go to pending users again, and all of them are written to. */
function selectionOf(tab: UserTab, selected: Props['selected'], onChange: Props['onSelect'], assignVerb: string) {
  if (tab === 'admins') {
    return { selected, onChange, max: mostUsersAtOnce, action: newMessageFor, actions: <WriteToSelected /> }
  }
  if (tab === 'learners') {
    return {
      selected,
      onChange,
      max: mostUsersAtOnce,
      action: `${path}assign/`,
      actions: (
        <>
          <button className="btn btn--secondary" type="submit">
            {assignVerb} content
          </button>
          <WriteToSelected />
        </>
      ),
      found: { most: mostAssignees, label: (who: string) => `${assignVerb} content to ${who}` },
    }
  }
  return {
    selected,
    onChange,
    whyNot: ({ status }: UserRow) => (status === 'disabled' ? 'This account is disabled.' : null),
    max: mostUsersAtOnce,
    action: path,
    isInPlace: true,
    actions: (
      <>
        <button className="btn btn--secondary" type="submit">
          Resend invites
        </button>
        <WriteToSelected />
      </>
    ),
  }
}

function Actions({ row: { uid, name } }: { row: UserRow }) {
  return (
    <RowActions name={name}>
      <RowLink icon="edit" word="Edit" label={`Edit ${name}`} to={`${path}${uid}/`} />
      <RowLink icon="trash" word="Delete" label={`Delete ${name}`} to={`${path}${uid}/delete/`} />
    </RowActions>
  )
}

function filtersOf(tab: UserTab, source: string, { institution, plan }: Props['options']): Filter<UserRow>[] {
  const known: readonly string[] = userTables[tab].filters
  const all: Filter<UserRow>[] = [
    {
      name: 'status',
      label: 'Status',
      options: statusesOfTab[tab].map((value) => ({ value, label: userStatusLabels[value] })),
      valuesOf: ({ status }) => [status],
    },
    {
      name: 'institution',
      label: 'Institution',
      options: institution,
      more: `${source}?options=institution`,
      valuesOf: ({ institutionUid }) => [institutionUid ?? noneOfThem],
    },
    {
      name: 'plan',
      label: 'Access plan',
      options: plan,
      more: `${source}?options=plan`,
      valuesOf: ({ planUid }) => [planUid ?? noneOfThem],
    },
    { name: 'group', label: 'Group', options: groupChoices, valuesOf: ({ groups }) => groups },
    { name: 'login', label: 'Last login', options: loginChoices, valuesOf: ({ loginValues }) => loginValues },
    { name: 'expiry', label: 'Valid until', options: expiryChoices, valuesOf: ({ expiryValues }) => expiryValues },
    { name: 'due', label: 'Due work', options: dueChoices, valuesOf: ({ dueValues }) => dueValues },
  ]
  return all.filter(({ name }) => known.includes(name))
}

function NoUsers({ tab }: { tab: UserTab }): ReactNode {
  if (tab === 'pending') {
    return (
      <Empty icon="check" title="There are no pending users">
        <p>
          People who have been invited are listed here until they open their account, and accounts that are disabled.
        </p>
      </Empty>
    )
  }
  return (
    <Empty icon="person" title={tab === 'admins' ? 'There are no admins' : 'There are no learners yet'}>
      <p>People are listed here as soon as they have opened their account.</p>
    </Empty>
  )
}
