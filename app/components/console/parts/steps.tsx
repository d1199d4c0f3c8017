import { useSearchParams } from '@remix-run/react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { partPeople, partSteps, partStepsForm } from '~/forms/parts.ts'
import { useShell } from '../../layout/shell.ts'
import { MultiSelect } from '../../ui/choice-fields.tsx'
import { DateTimeField } from '../../ui/date-fields.tsx'
import { TextField } from '../../ui/fields.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { ConsoleForm } from '../console-form.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { StepButtons, Steps, useSteps } from '../steps.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { Received } from './received.tsx'

const closeTo = '/dashboard/parts/?'

type Props = { draft: Record<string, string | string[]>; open: string }

/** A form in steps, in a dialog. */
export function StepsExample({ draft, open }: Props) {
  const { timeZone } = useShell()
  const schema = useMemo(() => partStepsForm(timeZone), [timeZone])
  // The id changes with each message, because the form library keeps initial values by form id.
  const formId = `part-steps-${useSentCount()}`
  const state = useSteps(partSteps, { formId, open, intent: 'send' })
  return (
    <RouteDialog
      title="New message"
      size="lg"
      isForm
      closeTo={closeTo}
      footer={
        <>
          <CloseLink closeTo={closeTo} />
          <StepButtons state={state}>
            <SubmitButton className="btn--primary" form={formId} intent="send" busyWord="Sending">
              Send
            </SubmitButton>
          </StepButtons>
        </>
      }
    >
      <Received />
      <ConsoleForm
        key={formId}
        id={formId}
        schema={schema}
        defaults={draft}
        guard={{ noun: 'message', mode: 'creating' }}
        {...state.formProps}
      >
        <Steps
          state={state}
          contents={{
            text: (
              <>
                <TextField name="title" label="Title" maxLength={40} hasCounter />
                <TextArea name="summary" label="Summary" maxLength={200} isOptional />
              </>
            ),
            people: <MultiSelect name="people" label="People" options={partPeople} />,
            time: (
              <div className="formgrid">
                <DateTimeField
                  name="sendAt"
                  label="Send"
                  hint="Leave it empty to send it now."
                  timeZone={timeZone}
                  isOptional
                />
                <DateTimeField name="expiresAt" label="Expire" timeZone={timeZone} isOptional />
              </div>
            ),
          }}
        />
      </ConsoleForm>
    </RouteDialog>
  )
}

/** Counts the messages sent so far. With each, an empty form replaces the one that was sent. */
function useSentCount(): number {
  const received = useSearchParams()[0].get('received')
  const [count, setCount] = useState(0)
  const last = useRef(received)
  useEffect(() => {
    if (received !== null && received !== last.current) setCount((before) => before + 1)
    last.current = received
  }, [received])
  return count
}
