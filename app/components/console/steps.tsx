import { Link, useLocation, useNavigate } from '@remix-run/react'
import { type ReactNode, type RefObject, useEffect, useId, useRef } from 'react'
import { useEffectBeforePaint } from '~/browser/effect-before-paint.ts'
import { indexOfStep, nextStep, ownsField, previousStep, type StepRule, stepField } from '~/forms/steps.ts'
import { useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { useFieldErrors, useRefusal } from './console-form.tsx'
import type { NeededPart } from './form-validator.ts'
import { SubmitButton } from './submit-button.tsx'
import { usePostAwaited } from './use-post-awaited.ts'

type FormStep = StepRule & { label: string }

/** What the parts of a form in steps share: the steps, which of them is open, and what its ConsoleForm is told. */
type StepsState = {
  formId: string
  steps: readonly FormStep[]
  index: number
  formProps: { intent: string; neededBy: (intent: string) => NeededPart }
}

type Options = {
  formId: string
  /** The id of the open step, as the loader found it with `openStep`. */
  open: string
  /** What the last step sends. */
  intent?: string
}

/**
 * For a form that is filled in step by step: "Step 2 of 3". The open step is in the address, so Back and a reload lead where people expect.
 * Next checks the step in the browser and posts it to `answerStep` (http/form-steps.server.ts), which checks it again and saves a draft.
 *
 *     const state = useSteps(steps, { formId, open })
 *     <RouteDialog footer={<StepButtons state={state}>…Save…</StepButtons>}>
 *       <ConsoleForm id={formId} schema={schema} {...state.formProps}>
 *         <Steps state={state} contents={{ text: <TextField … />, people: … }} />
 */
export function useSteps(steps: readonly FormStep[], { formId, open, intent = 'save' }: Options): StepsState {
  const refusal = useRefusal(formId)
  const requested = refusal
    ? (refusal.step ?? stepOfErrors(steps, refusal.fieldErrors) ?? refusal.values[stepField])
    : open
  const index = indexOfStep(steps, requested)
  const neededBy = (intent: string) =>
    intent === nextStep ? steps[index] : intent === previousStep ? { fields: [] } : undefined
  return { formId, steps, index, formProps: { intent: index < steps.length - 1 ? nextStep : intent, neededBy } }
}

/** The first step with an error. */
function stepOfErrors(steps: readonly FormStep[], errors: Record<string, string>): string | undefined {
  return steps.find(({ fields }) => Object.keys(errors).some((name) => ownsField(fields, name)))?.id
}

type StepsProps = { state: StepsState; contents: Record<string, ReactNode> }

/** The open step under its heading. The others stay in the form, out of sight, so nothing typed is lost. Any content has room in a step. */
export function Steps({ state: { steps, index }, contents }: StepsProps) {
  const id = useId()
  const root = useRef<HTMLDivElement>(null)
  useHeadingFocus(root, index)
  useStepWithError(root, steps, index)
  return (
    <div className="formsteps" ref={root}>
      <input type="hidden" name={stepField} value={steps[index]?.id} />
      <StepList steps={steps} index={index} />
      {steps.map((step, place) => (
        <section key={step.id} className="formstack" aria-labelledby={`${id}-${place}`} hidden={place !== index}>
          <h3 id={`${id}-${place}`} className="formsteps-title" tabIndex={-1}>
            <span className="muted">
              Step {place + 1} of {steps.length}
            </span>{' '}
            {step.label}
          </h3>
          {contents[step.id]}
        </section>
      ))}
    </div>
  )
}

/** Where one is. Steps that are done lead back to themselves, as soon as scripts run: what is typed stays in the form then. */
function StepList({ steps, index }: { steps: readonly FormStep[]; index: number }) {
  const isHydrated = useHydrated()
  const addressOf = useStepAddress()
  return (
    <ol className="steplist">
      {steps.map(({ id, label }, place) => (
        <li
          key={id}
          aria-current={place === index ? 'step' : undefined}
          className={place < index ? 'is-done' : undefined}
        >
          {place < index && isHydrated ? (
            <Link to={addressOf(id)} preventScrollReset>
              <Icon name="check" />
              <span className="name">{label}</span>
            </Link>
          ) : (
            <>
              {place < index ? <Icon name="check" /> : <span className="number num">{place + 1}</span>}
              <span className="name">{label}</span>
            </>
          )}
          {place < index && <span className="sr-only"> (completed)</span>}
        </li>
      ))}
    </ol>
  )
}

type ButtonsProps = {
  state: StepsState
  /** Stands between Back and the main button on every step, such as Save of a draft. */
  more?: ReactNode
  /** The word of the button that leads to the next step: "Review". */
  nextLabel?: string
  isNextDisabled?: boolean
  children: ReactNode
}

/** For a dialog's footer: Back and Next; on the last step what stands inside, such as Save. */
export function StepButtons(props: ButtonsProps) {
  const { state, more, nextLabel = 'Next', isNextDisabled = false, children } = props
  const { formId, steps, index } = state
  const isHydrated = useHydrated()
  const navigate = useNavigate()
  const addressOf = useStepAddress()
  const before = steps[index - 1]
  return (
    <span className="end">
      {before && (
        <SubmitButton
          className="btn--secondary"
          form={formId}
          intent={previousStep}
          busyWord="Going back"
          onClick={(event) => {
            if (!isHydrated) return
            event.preventDefault()
            navigate(addressOf(before.id), { preventScrollReset: true })
          }}
        >
          Back
        </SubmitButton>
      )}
      {more}
      {index < steps.length - 1 ? (
        <SubmitButton
          className="btn--primary"
          form={formId}
          intent={nextStep}
          busyWord="Saving"
          disabled={isNextDisabled}
        >
          {nextLabel}
        </SubmitButton>
      ) : (
        children
      )}
    </span>
  )
}

function useStepAddress(): (id: string) => string {
  const { search } = useLocation()
  return (id) => {
    const params = new URLSearchParams(search)
    params.set(stepField, id)
    return `?${params}`
  }
}

/**
 * Another step begins with its heading, which screen readers read: "Step 2 of 3, People". The heading takes the focus
 * before the step is painted, so that it cannot take it from a field in which someone already types.
 */
function useHeadingFocus(root: RefObject<HTMLElement>, index: number): void {
  const shown = useRef(index)
  useEffectBeforePaint(() => {
    if (shown.current === index) return
    shown.current = index
    const heading = root.current?.querySelector<HTMLElement>('section:not([hidden]) .formsteps-title')
    heading?.focus({ preventScroll: true })
    heading?.closest('.in')?.scrollTo({ top: 0 })
    root.current?.querySelector<HTMLElement>('section:not([hidden]) [aria-invalid=true]')?.focus()
  }, [root, index])
}

/** The last step's button may meet an error in an earlier one, which is opened then. */
function useStepWithError(root: RefObject<HTMLDivElement>, steps: readonly FormStep[], index: number): void {
  const errors = useFieldErrors()
  const isPostAwaited = usePostAwaited(root)
  const navigate = useNavigate()
  const addressOf = useStepAddress()
  const faulty = stepOfErrors(steps, errors)
  useEffect(() => {
    if (!isPostAwaited.current || faulty === undefined) return
    isPostAwaited.current = false
    if (indexOfStep(steps, faulty) !== index) navigate(addressOf(faulty), { preventScrollReset: true })
  })
}
