import { Link } from '@remix-run/react'
import { Empty } from '../../ui/empty.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { RecordTable } from '../modules/record-table.tsx'
import { DialogLink } from '../route-dialog.tsx'
import type { PlanRow } from './view.ts'

const path = '/dashboard/plans/'

/** The access plans of the site: who has them, and whose access ends soon. */
export function PlanList({ plans }: { plans: PlanRow[] }) {
  return (
    <>
      <h1>Manage Access Plans</h1>
      <p className="muted mb-4">
        Learners open the content that is in their plan. A number leads to the learners it counts.
      </p>
      <p className="mb-4">
        <DialogLink className="btn btn--primary" to={`${path}new/`}>
          <ConsoleIcon name="plus" />
          Add plan
        </DialogLink>
      </p>
      {plans.length === 0 ? (
        <Empty icon="list" title="There are no access plans yet">
          <p>Without a plan, learners cannot open anything. Add the first one.</p>
        </Empty>
      ) : (
        <RecordTable
          label="Access plans"
          heads={['Plan', 'Content', 'Learners', 'Ended', 'In 30 days', 'In 60 days', 'In 90 days']}
          rows={plans.map((plan) => ({
            id: plan.uid,
            cells: [
              <Name key="name" plan={plan} />,
              plan.items.toLocaleString('en'),
              <Learners key="all" plan={plan} count={plan.learners} about="" />,
              <Learners key="ended" plan={plan} count={plan.ended} expiry="ended" about=" whose access has ended" />,
              <Learners key="30" plan={plan} count={plan.in30} expiry="30" about=" whose access ends in 30 days" />,
              <Learners key="60" plan={plan} count={plan.in60} expiry="60" about=" whose access ends in 60 days" />,
              <Learners key="90" plan={plan} count={plan.in90} expiry="90" about=" whose access ends in 90 days" />,
            ],
            actions: <Actions plan={plan} />,
          }))}
          hasActions
        />
      )}
    </>
  )
}

function Name({ plan: { uid, name, isPublic, isRetired } }: { plan: PlanRow }) {
  const marks = [isRetired ? 'retired' : '', isPublic ? '' : 'not public'].filter((mark) => mark !== '')
  return (
    <>
      <DialogLink className="name" to={`${path}${uid}/`} discover="none">
        {name}
      </DialogLink>
      {marks.length > 0 && <span className="muted small"> {marks.join(', ')}</span>}
    </>
  )
}

type LearnersProps = { plan: PlanRow; count: number; expiry?: string; about: string }

function Learners({ plan: { uid, name }, count, expiry, about }: LearnersProps) {
  if (count === 0) return <>0</>
  const filters = [`plan-${uid}`, ...(expiry ? [`expiry-${expiry}`] : [])]
  const to = `/dashboard/users/?${new URLSearchParams(filters.map((filter) => ['filter', filter]))}`
  return (
    <Link to={to}>
      {count.toLocaleString('en')}
      <span className="sr-only">
        {' '}
        {count === 1 ? 'learner' : 'learners'} of {name}
        {about}
      </span>
    </Link>
  )
}

function Actions({ plan: { uid, name, isRetired, ended, in90 } }: { plan: PlanRow }) {
  return (
    <>
      {ended + in90 > 0 && (
        <DialogLink
          className="iconbtn"
          to={`${path}${uid}/renew/`}
          aria-label={`Renew access of learners of ${name}`}
          title="Renew access"
          discover="none"
        >
          <ConsoleIcon name="clock" />
        </DialogLink>
      )}
      <DialogLink className="iconbtn" to={`${path}${uid}/`} aria-label={`Edit ${name}`} title="Edit" discover="none">
        <ConsoleIcon name="edit" />
      </DialogLink>
      <DialogLink
        className="iconbtn"
        to={`${path}${uid}/retire/`}
        aria-label={isRetired ? `Offer ${name} again` : `Retire ${name}`}
        title={isRetired ? 'Offer again' : 'Retire'}
        discover="none"
      >
        <ConsoleIcon name={isRetired ? 'undo' : 'archive'} />
      </DialogLink>
    </>
  )
}
