import { Link } from '@remix-run/react'
import { Icon } from '../../ui/icon.tsx'
import { RecordTable } from '../modules/record-table.tsx'
import type { GroupColumn, GroupsView, RightRow } from './view.ts'

/** What the members of each group may do. */
export function GroupsPage({ groups, areas }: GroupsView) {
  return (
    <div className="records">
      <div>
        <h1>Groups</h1>
        <p className="muted mb-4">
          Everybody is in one or more groups and may do what any of them allows. Change the groups of a person in their
          profile.
        </p>
        <p>
          <Link className="btn btn--secondary" to="/dashboard/groups/why/">
            <Icon name="search" />
            Why can or can’t somebody see something?
          </Link>
        </p>
      </div>
      <section aria-label="Groups of the site">
        <dl className="figures">
          {groups.map((group) => (
            <Figure key={group.id} {...group} />
          ))}
        </dl>
      </section>
      {areas.map(({ id, title, rights }) => (
        <section key={id} aria-labelledby={`area-${id}`}>
          <h2 id={`area-${id}`}>{title}</h2>
          <RecordTable
            label={title}
            heads={['Right', ...groups.map(({ label }) => label)]}
            rows={rights.map((right) => ({ id: right.id, cells: cellsOf(right, groups) }))}
          />
        </section>
      ))}
    </div>
  )
}

function Figure({ id, label, people, note }: GroupColumn) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="voice">{people === 0 ? '0' : <Link to={addressOf(id)}>{people.toLocaleString('en')}</Link>}</dd>
      <dd className="muted small">{note}</dd>
    </div>
  )
}

function addressOf(group: string): string {
  return group === 'admins' ? '/dashboard/users/?tab=admins' : `/dashboard/users/?filter=group-${group}`
}

function cellsOf({ what, groups: allowed }: RightRow, groups: GroupColumn[]) {
  return [what, ...groups.map(({ id }) => (allowed.includes(id) ? 'Yes' : 'No'))]
}
