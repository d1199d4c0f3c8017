import { useLocation } from '@remix-run/react'
import type { ComponentProps, ReactNode } from 'react'
import { launchInModeForm, type launchModes, moveForm, waiveForm, waiveReasons } from '~/forms/attempts.ts'
import { formatPercent } from '~/lib/percent.ts'
import { type Option, RadioGroup, SelectField } from '../../ui/choice-fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ConfirmRoute } from '../confirm-route.tsx'
import { ConsoleForm } from '../console-form.tsx'
import { CloseFooter, CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { attemptSearch } from './attempt-address.ts'
import { nameOfAttempt } from './attempt-view.ts'

/** Dialogs over the page of a learner's attempts: each asks before it changes an attempt. */
type AttemptToChange = {
  learner: { uid: string; name: string }
  module: { uid: string; name: string }
  attempt: {
    registrationUid: string
    number: number | null
    version: number
    versionUid: string
    percent: number
    isOpen: boolean
  }
  open: { unit: string; since: string } | null
}

function useAttemptAddress({ module, learner, attempt }: AttemptToChange): string {
  const { search } = useLocation()
  return `/dashboard/modules/${module.uid}/learners/${learner.uid}/${attemptSearch(search, attempt.registrationUid)}`
}

type UnitProps = AttemptToChange & { unit: { title: string } }

/** "Attempt 1 of Ada Okafor, v2" */
function whereOf({ attempt, learner }: AttemptToChange): string {
  return `${nameOfAttempt(attempt)} of ${learner.name}, v${attempt.version}`
}

type DialogProps = {
  to: AttemptToChange
  title: string
  /** The intent, which is also the id of the form. */
  intent: string
  action: ReactNode
  isDisabled?: boolean
  schema: ComponentProps<typeof ConsoleForm>['schema']
  defaults: Record<string, unknown>
  children: ReactNode
}

/** A dialog with a form about an attempt, and its submit button in the footer. */
function AttemptForm({ to, title, intent, action, isDisabled, schema, defaults, children }: DialogProps) {
  const closeTo = useAttemptAddress(to)
  return (
    <RouteDialog
      title={title}
      size="md"
      isForm
      closeTo={closeTo}
      footer={
        <span className="end">
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          <SubmitButton className="btn--primary" form={intent} intent={intent} busyWord="Working" disabled={isDisabled}>
            {action}
          </SubmitButton>
        </span>
      }
    >
      <ConsoleForm
        id={intent}
        intent={intent}
        isWaiting={isDisabled}
        schema={schema}
        defaults={defaults}
        className="formstack"
      >
        {children}
      </ConsoleForm>
    </RouteDialog>
  )
}

export function LaunchInAttempt(props: UnitProps) {
  const { unit, attempt, learner, open } = props
  return (
    <AttemptForm
      to={props}
      title={`Launch ${unit.title}`}
      intent="launch"
      action={
        <>
          <Icon name="play" />
          Launch
        </>
      }
      schema={launchInModeForm}
      defaults={{ mode: 'Review' }}
    >
      <input type="hidden" name="moduleVersionUid" value={attempt.versionUid} />
      <p>
        {attempt.number === null ? whereOf(props) : `This launches the unit for the learner, in ${whereOf(props)}.`}
      </p>
      <ModeChoice learner={learner.name} isOver={!attempt.isOpen} isPreview={attempt.number === null} />
      {open && (
        <p className="notice notice--warning">
          <Icon name="alert" />
          <span>
            “{open.unit}” has been open in this attempt since {open.since}. If you open a unit now, that session ends
            and nothing more is recorded in it.
          </span>
        </p>
      )}
    </AttemptForm>
  )
}

type Mode = (typeof launchModes)[number]

function ModeChoice({ learner, isOver, isPreview }: { learner: string; isOver: boolean; isPreview: boolean }) {
  const normal = isPreview
    ? 'Work like a learner. Your work counts only in this preview.'
    : `Everything is recorded as the work of ${learner} and counts.`
  const modes: { value: Mode; label: Mode; hint: string }[] = [
    { value: 'Review', label: 'Review', hint: 'Look at the work again. Nothing counts.' },
    { value: 'Browse', label: 'Browse', hint: 'Look around as if for the first time. Nothing counts.' },
    { value: 'Normal', label: 'Normal', hint: normal },
  ]
  return <RadioGroup name="mode" label="Mode" options={modes.filter(({ value }) => !isOver || value !== 'Normal')} />
}

const reasonHints: Option[] = waiveReasons.map((reason) => ({ value: reason, label: reason }))

/** `problem`: why there is nothing to waive. The page of the attempts does not lead here then. */
export function WaiveUnit({ problem, ...props }: UnitProps & { problem: string | null }) {
  const { unit, learner } = props
  const closeTo = useAttemptAddress(props)
  if (problem !== null) {
    return (
      <RouteDialog title={`Waive ${unit.title}`} size="md" closeTo={closeTo} footer={<CloseFooter closeTo={closeTo} />}>
        <div className="formstack">
          <p>{whereOf(props)}</p>
          <p className="notice">{problem}</p>
        </div>
      </RouteDialog>
    )
  }
  return (
    <AttemptForm
      to={props}
      title={`Waive ${unit.title}`}
      intent="waive"
      action="Waive this unit"
      schema={waiveForm}
      defaults={{ reason: '' }}
    >
      <p>{whereOf(props)}</p>
      <SelectField
        name="reason"
        label="Reason"
        hint="The reason is recorded with the unit and shown on this page."
        placeholder="Choose a reason"
        options={reasonHints}
      />
      <p className="notice notice--warning">
        <Icon name="alert" />
        <span>{learner.name} gets credit for this unit without working in it. This cannot be undone.</span>
      </p>
    </AttemptForm>
  )
}

export function AbandonSession(props: AttemptToChange & { session: { unit: string; launchedAt: string } }) {
  const { session } = props
  const closeTo = useAttemptAddress(props)
  return (
    <ConfirmRoute
      title="Abandon Session"
      question={
        <>
          <p className="dlg-question">Do you want to end this session of {session.unit}?</p>
          <p className="muted">
            {whereOf(props)}, opened {session.launchedAt}
          </p>
          <p className="notice notice--warning mt-4">
            <Icon name="alert" />
            <span>
              Nothing more will be recorded from its window. The recorded work is kept, and the learner can open the
              unit again.
            </span>
          </p>
        </>
      }
      actionLabel="Abandon"
      tone="danger"
      intent="abandon"
      closeTo={closeTo}
    />
  )
}

export function MoveAttempt(props: AttemptToChange & { versions: Option[] }) {
  const { attempt, module, open, versions } = props
  return (
    <AttemptForm
      to={props}
      title={`Move ${nameOfAttempt(attempt)}`}
      intent="move"
      action="Move"
      isDisabled={versions.length === 0}
      schema={moveForm}
      defaults={{ moduleVersionUid: versions.length === 1 ? versions[0]?.value : '' }}
    >
      <p>
        {whereOf(props)}, {formatPercent(attempt.percent)}
      </p>
      {versions.length === 0 ? (
        <p className="notice">{module.name} has no other version that is ready.</p>
      ) : (
        <SelectField
          name="moduleVersionUid"
          label={`Version of ${module.name}`}
          placeholder="Choose a version"
          options={versions}
        />
      )}
      <p className="notice notice--warning">
        <Icon name="alert" />
        <span>
          This attempt ends, and a new one begins in the other version. Completed units that exist in that version count
          there, too. The position inside a unit is lost.
          {open && ` “${open.unit}” has been open since ${open.since}, and that session ends.`}
        </span>
      </p>
    </AttemptForm>
  )
}
