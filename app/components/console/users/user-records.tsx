import { Form, Link, useLocation } from '@remix-run/react'
import { formatPercent } from '~/lib/percent.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { useShell } from '../../layout/shell.ts'
import { CsrfField } from '../../ui/form.tsx'
import { RecordTable } from '../modules/record-table.tsx'
import { DialogLink } from '../route-dialog.tsx'
import { AccessWarning } from './access-warning.tsx'
import type { ProgressKind, ProgressList, UserHistory, UserMessages, UserProgressView, UserSessions } from './view.ts'

const kinds: Record<ProgressKind, string> = { modules: 'Modules', courses: 'Courses' }

/** What a person has started, completed and been assigned (L-145 to L-149). A module leads to its attempts. */
export function UserProgressPanel({ view }: { view: UserProgressView }) {
  const { kind, list, assignedLabel } = view
  const { pathname, search } = useLocation()
  const to = (change: Partial<Pick<UserProgressView, 'kind' | 'list'>>) => {
    const params = new URLSearchParams(tableSearch(search))
    params.set('of', change.kind ?? kind)
    params.set('list', change.list ?? list)
    return `${pathname}?${params}`
  }
  const lists: Record<ProgressList, string> = {
    progress: 'In Progress',
    completed: 'Completed',
    assigned: assignedLabel,
  }
  return (
    <>
      <nav className="tabs" aria-label="Kind of content">
        {Object.entries(kinds).map(([value, label]) => (
          <Link
            key={value}
            to={to({ kind: value as ProgressKind })}
            aria-current={value === kind ? 'page' : undefined}
            preventScrollReset
          >
            {label}
          </Link>
        ))}
      </nav>
      <nav className="tabs mb-4" aria-label="List">
        {Object.entries(lists).map(([value, label]) => (
          <Link
            key={value}
            to={to({ list: value as ProgressList })}
            aria-current={value === list ? 'page' : undefined}
            preventScrollReset
          >
            {label}
          </Link>
        ))}
      </nav>
      {view.rows.length === 0 ? <p className="muted">There is nothing here.</p> : <ProgressTable view={view} />}
    </>
  )
}

function ProgressTable({ view: { userUid, kind, list, rows, unassignLabel } }: { view: UserProgressView }) {
  const { csrf, brand } = useShell()
  const hasProgress = list !== 'completed'
  const one = kind === 'courses' ? 'course' : 'module'
  return (
    <Form method="post" preventScrollReset>
      <CsrfField token={csrf} />
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="verb" value={brand.assignVerb} />
      <table className="w-full text-left [&_td]:py-2 [&_th]:py-2 [&_tr]:border-b [&_tr]:border-line">
        <thead>
          <tr>
            <th scope="col" className="w-[70%]">
              Title
            </th>
            {list === 'assigned' ? (
              <th scope="col">Actions</th>
            ) : (
              <>
                <th scope="col" className="w-[20%]">
                  High Score
                </th>
                {hasProgress && (
                  <th scope="col" className="w-[10%] whitespace-nowrap">
                    Progress
                  </th>
                )}
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ uid, name, score, percent, to, isIncluded, due, note }) => (
            <tr key={uid}>
              <td>
                {to ? (
                  <Link to={to} title="See the attempts">
                    {name}
                  </Link>
                ) : (
                  name
                )}{' '}
                {!isIncluded && <AccessWarning text="User doesn't have access to this item" />}
                {due && <span className="block muted small">{due}</span>}
                {note && <span className="block muted small whitespace-pre-line wrap-anywhere">{note}</span>}
              </td>
              {list === 'assigned' ? (
                <td>
                  {/* Only for the sentence about a failure. */}
                  <input type="hidden" name={`name:${one}:${uid}`} value={`${one}: ${name}`} />
                  <DialogLink
                    className="btn btn--quiet"
                    to={`/dashboard/users/${userUid}/due/${kind}/${uid}/`}
                    aria-label={`Change the due date and note of ${name}`}
                  >
                    Due date
                  </DialogLink>
                  <button
                    className="btn btn--quiet"
                    type="submit"
                    name="uid"
                    value={uid}
                    aria-label={`${unassignLabel} ${name}`}
                  >
                    {unassignLabel}
                  </button>
                </td>
              ) : (
                <>
                  <td className="num whitespace-nowrap">{formatPercent(score)}</td>
                  {hasProgress && <td className="num whitespace-nowrap">{formatPercent(percent)}</td>}
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Form>
  )
}

export function UserSessionsPanel({ sessions }: { sessions: UserSessions }) {
  const { csrf } = useShell()
  if (sessions.length === 0) return <p className="muted">This person is not logged in anywhere.</p>
  return (
    <Form method="post" preventScrollReset>
      <CsrfField token={csrf} />
      <RecordTable
        label="Sessions"
        heads={['Browser', 'Address', 'Logged in', 'Last seen']}
        hasActions
        rows={sessions.map(({ uid, agent, address, since, seen }) => ({
          id: uid,
          cells: [agent, address, since, seen],
          actions: (
            <button className="btn btn--quiet" type="submit" name="session" value={uid} aria-label={`Log out ${agent}`}>
              Log out
            </button>
          ),
        }))}
      />
      <p className="mt-4">
        <button className="btn btn--danger-line" type="submit" name="session" value="all">
          Log out everywhere
        </button>
      </p>
    </Form>
  )
}

export function UserMessagesPanel({ messages }: { messages: UserMessages }) {
  if (messages.length === 0) return <p className="muted">No messages have been sent to this person.</p>
  return (
    <RecordTable
      label="Messages"
      heads={['Subject', 'Channel', 'State', 'Sent', 'Opened']}
      rows={messages.map(({ uid, subject, channel, state, sent, opened }) => ({
        id: uid,
        cells: [subject, channel, state, sent, opened],
      }))}
    />
  )
}

export function UserHistoryPanel({ history }: { history: UserHistory }) {
  if (history.length === 0) return <p className="muted">No changes were recorded.</p>
  return (
    <ol className="formstack">
      {history.map(({ what, by, at }, index) => (
        <li key={index} className="border-b border-line pb-2">
          {what}{' '}
          <span className="muted small">
            {at} by {by}
          </span>
        </li>
      ))}
    </ol>
  )
}
