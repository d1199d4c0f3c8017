import { groupChoices, type UserTab, userStatusLabels } from '~/forms/user-tables.ts'
import type { Column } from '../grid/data-grid.tsx'
import { ValuesCell } from '../grid/values-cell.tsx'
import { DialogLink } from '../route-dialog.tsx'
import type { UserRow } from './view.ts'

const labels = new Map(groupChoices.map(({ value, label }) => [value, label]))

const name: Column<UserRow> = {
  id: 'name',
  header: 'Name',
  value: (row) => row.name,
  cell: ({ uid, name, ...row }) => (
    <>
      <DialogLink className="name" to={`/dashboard/users/${uid}/`} title={name} discover="none">
        {name}
      </DialogLink>
      <Marks {...row} />
    </>
  ),
  searched: ({ name, email }) => [`${name} ${email}`],
  isLead: true,
  width: 144,
  grow: 1.4,
}

const email: Column<UserRow> = {
  id: 'email',
  header: 'Email',
  value: (row) => row.email,
  cell: (row) => (
    <span className="cut" title={row.email}>
      {row.email}
    </span>
  ),
  width: 106,
  grow: 1.4,
  isMinor: true,
}

/** One chip, because a row has room for one: "Inactive, late". */
function Marks({ status, dueValues }: Pick<UserRow, 'status' | 'dueValues'>) {
  const marks = [
    ...(status === 'inactive' || status === 'disabled' ? [userStatusLabels[status]] : []),
    ...(dueValues.includes('late') ? ['Late'] : []),
  ]
  if (marks.length === 0) return null
  const [first = '', second] = marks
  return <span className="chip">{second ? `${first}, ${second.toLowerCase()}` : first}</span>
}

/** At 1280 px all columns of the active users fit side by side (C-089, C-090). */
const activeColumns: readonly Column<UserRow>[] = [
  name,
  email,
  {
    id: 'joined',
    header: 'Signed up',
    value: ({ joinedAt }) => joinedAt,
    cell: ({ joinedOn }) => joinedOn ?? '–',
    width: 74,
    grow: 0.5,
  },
  {
    id: 'login',
    header: 'Last login',
    value: ({ lastLoginAt }) => lastLoginAt,
    cell: ({ lastLoginOn }) => lastLoginOn ?? 'Never',
    width: 74,
    grow: 0.5,
  },
  {
    id: 'plan',
    header: 'Access plan',
    value: ({ plan }) => plan,
    cell: ({ plan }) => plan ?? '–',
    width: 90,
    grow: 0.8,
    isMinor: true,
  },
  {
    id: 'type',
    header: 'Subscription',
    value: ({ subscription }) => subscription,
    cell: ({ subscription }) => subscription ?? '–',
    width: 98,
    grow: 0.5,
    isMinor: true,
  },
  {
    id: 'until',
    header: 'Valid until',
    value: ({ validTo }) => validTo,
    cell: ({ validToOn, plan }) => validToOn ?? (plan === null ? '–' : 'Does not end'),
    width: 74,
    grow: 0.5,
    isMinor: true,
  },
  {
    id: 'modules',
    header: 'Completed modules',
    value: ({ completedModules }) => completedModules,
    align: 'end',
    width: 90,
  },
  {
    id: 'courses',
    header: 'Completed courses',
    value: ({ completedCourses }) => completedCourses,
    align: 'end',
    width: 90,
  },
  {
    id: 'groups',
    header: 'Groups',
    value: ({ groups }) => groups.join('\n'),
    cell: ({ groups, name }) => (
      <ValuesCell values={groups.map((group) => labels.get(group) ?? group)} allLabel={`all groups of ${name}`} />
    ),
    width: 78,
    grow: 0.6,
    isMinor: true,
  },
]

const pendingColumns: readonly Column<UserRow>[] = [
  name,
  {
    id: 'invited',
    header: 'Invited',
    value: ({ invitedAt }) => invitedAt,
    cell: ({ invitedOn }) => invitedOn,
    width: 130,
  },
  { ...email, isMinor: false, width: 240 },
  {
    id: 'mail',
    header: 'Last email',
    value: ({ mail }) => mail,
    cell: (row) => mailInWords(row),
    width: 190,
  },
]

/** Whether the mail server has taken the last invitation, and when. */
function mailInWords({ mail, mailTriedOn }: UserRow): string {
  if (mail === null) return '–'
  if (mail === 'waiting') return mailTriedOn ? `Not sent yet, last one ${mailTriedOn}` : 'Not sent yet'
  if (mail === 'refused') return `This address cannot receive mail, ${mailTriedOn}`
  if (mail === 'in_doubt')
    return `In doubt, ${mailTriedOn}. To send it again, select the person and press Resend invites.`
  return mail === 'accepted' ? `Sent, ${mailTriedOn}` : `Not sent, tried ${mailTriedOn}`
}

export function columnsOfTab(tab: UserTab): readonly Column<UserRow>[] {
  return tab === 'pending' ? pendingColumns : activeColumns
}
