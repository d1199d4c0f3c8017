import { Form } from '@remix-run/react'
import { useMemo, useRef } from 'react'
import { scheduleForm } from '~/forms/schedule.ts'
import { useShell } from '../../layout/shell.ts'
import { RadioGroup } from '../../ui/choice-fields.tsx'
import { DateTimeField } from '../../ui/date-fields.tsx'
import { CsrfField } from '../../ui/form.tsx'
import { Problems } from '../checks/problems.tsx'
import { ConsoleForm } from '../console-form.tsx'
import { CloseLink, DialogLink, RouteDialog } from '../route-dialog.tsx'
import { StatusChip } from '../status-chip.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { ScheduleView, WaitingChange } from './view.ts'

const formId = 'schedule'

const unpublish = {
  value: 'unpublish',
  label: 'Unpublish',
  hint: 'Learners no longer see it. Their progress is kept.',
}

/** Only courses and modules have versions. */
const ofVersions = 'The version that is the latest at that time.'
const ofFilms = 'Learners see what is saved at that time.'
const publishHints: Record<string, string> = {
  course: ofVersions,
  module: ofVersions,
  lecture: ofFilms,
  video: ofFilms,
}

/** The dialog in which content gets a time at which it is published or unpublished. */
export function ScheduleDialog({
  kind,
  uid,
  name,
  status,
  canUnpublish,
  waiting,
  problems,
  defaults,
  now,
}: ScheduleView) {
  const { timeZone } = useShell()
  const first = useRef<HTMLInputElement>(null)
  const schema = useMemo(() => scheduleForm({ timeZone, now: new Date(now) }), [timeZone, now])
  const closeTo = `/dashboard/${kind}s/${uid}/`
  return (
    <RouteDialog
      title={`Schedule ${kind[0]?.toUpperCase()}${kind.slice(1)}`}
      size="md"
      isForm
      closeTo={closeTo}
      initialFocus={first}
      status={<StatusChip status={status} />}
      footer={
        <span className="end">
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          <SubmitButton className="btn--primary" form={formId} intent="schedule" busyWord="Scheduling">
            Schedule
          </SubmitButton>
        </span>
      }
    >
      <p className="dlg-question">{name}</p>
      {waiting.length > 0 && <Waiting changes={waiting} />}
      {status === 'draft' && <Problems problems={problems} />}
      <ConsoleForm id={formId} schema={schema} defaults={defaults} intent="schedule" className="formstack mt-4">
        <RadioGroup
          name="action"
          label="What happens"
          options={[
            { value: 'publish', label: 'Publish', hint: publishHints[kind] },
            ...(canUnpublish ? [unpublish] : []),
          ]}
        />
        <DateTimeField name="at" label="Date and time" timeZone={timeZone} />
      </ConsoleForm>
    </RouteDialog>
  )
}

/** What is planned already. A new time for the same change replaces the old one. */
function Waiting({ changes }: { changes: WaitingChange[] }) {
  return (
    <ul className="formstack mt-4" aria-label="Planned">
      {changes.map(({ uid, text, at }) => (
        <li key={uid} className="notice items-center">
          <span className="grow">{text}</span>
          <CancelButton uid={uid} at={at} label={`Cancel: ${text}`} isHere />
        </li>
      ))}
    </ul>
  )
}

/** Leads from the question before publishing to the dialog that plans it for later. */
export function ScheduleLink({ kind, uid, isPublished }: { kind: string; uid: string; isPublished: boolean }) {
  return (
    <p className="mt-4">
      <DialogLink to={`/dashboard/${kind}s/${uid}/schedule/`}>
        {isPublished ? 'Unpublish' : 'Publish'} it at another time
      </DialogLink>
    </p>
  )
}

type PlannedProps = { kind: string; uid: string; planned: string[] }

/** Says in an edit dialog what is planned, and leads to where it can be changed. */
export function PlannedLine({ kind, uid, planned }: PlannedProps) {
  if (planned.length === 0) return null
  return (
    <p className="notice">
      {planned.join(' ')} <DialogLink to={`/dashboard/${kind}s/${uid}/schedule/`}>Change</DialogLink>
    </p>
  )
}

type CancelProps = { uid: string; at: number; label: string; isHere?: boolean }

/** `at`: the time that is shown, in milliseconds. `isHere`: the answer comes back to the dialog and not to the schedule. */
export function CancelButton({ uid, at, label, isHere = false }: CancelProps) {
  const { csrf } = useShell()
  return (
    <Form method="post" action={`/dashboard/schedule/${uid}/cancel/`} preventScrollReset>
      <CsrfField token={csrf} />
      <input type="hidden" name="at" value={at} />
      {isHere && <input type="hidden" name="from" value="dialog" />}
      <button className="btn btn--quiet" type="submit" aria-label={label}>
        {isHere ? 'Cancel this change' : 'Cancel'}
      </button>
    </Form>
  )
}
