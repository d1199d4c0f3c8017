import { useActionData, useLocation } from '@remix-run/react'
import { useEffect, useMemo, useRef, useState } from 'react'
import {
  deliveryLabels,
  deliveryTypes,
  messageFormId,
  messageLimits,
  messageSteps,
  messageStepsForm,
} from '~/forms/announcements.ts'
import { exitIntent, testIntent, unscheduleIntent, watchIntent } from '~/forms/intents.ts'
import { recipientsTable } from '~/forms/recipients.ts'
import { placeholders } from '~/lib/placeholders.ts'
import { readTableQuery, tableSearch } from '~/lib/table-query.ts'
import { RadioGroup, SelectField } from '../../ui/choice-fields.tsx'
import { DateTimeField } from '../../ui/date-fields.tsx'
import { FieldError, TextField, useFormField } from '../../ui/fields.tsx'
import { useHydrated } from '../../ui/form.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { FormFileField } from '../form-file-field.tsx'
import { HistoryLink } from '../history/history-link.tsx'
import { MarkdownField } from '../markdown-field.tsx'
import { OutboxNotice } from '../outbox-notice.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { StatusChip } from '../status-chip.tsx'
import { StepButtons, Steps, useSteps } from '../steps.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { PreviewedText } from './email-preview.tsx'
import { ReviewedMessage } from './message-view.tsx'
import { messagesPath } from './messages-table.tsx'
import { RecipientsPart } from './recipients-part.tsx'
import type { MessageDialogView, PreviewedMessage } from './view.ts'

/** The dialog that writes a message, in three steps. Without JavaScript every step is a page. */
export function MessageDialog({ view }: { view: MessageDialogView }) {
  const { isNew, defaults, timeZone, people, recipients, review } = view
  const refusal = useRefusal()
  const isHydrated = useHydrated()
  const { search } = useLocation()
  const preview = usePreview()
  useFocusAfterNote(view.note)
  const [isUploading, setUploading] = useState(false)
  const [chosen, setChosen] = useState<{ formId: string; when: string } | null>(null)
  const [selected, setSelected] = useState<ReadonlySet<string>>(() => new Set(view.selectedUids))
  const schema = useMemo(() => messageStepsForm({ timeZone, now: new Date(view.now) }), [timeZone, view.now])
  // When another person has saved changes, the form is created again with those changes.
  const revision = refusal?.values.revision ?? String(view.revision)
  // The loader makes a new uid each time, unless the address has one that is free. The draft belongs to the first.
  const [firstUid] = useState(view.uid)
  const ownUid = isNew && new URLSearchParams(search).get('uid') !== view.uid ? firstUid : view.uid
  // A new message that is restored from a draft has the uid of the draft, and its choice of recipients.
  const uid = refusal?.values.uid || ownUid
  const choiceUid = refusal?.values.choice || refusal?.values.choiceUid || view.choiceUid
  // Without its schedule, a message begins anew too: otherwise its time would count as changed and not saved.
  // So does a new message that gets another uid, because its first one was used in another window.
  const formUid = isNew && uid === firstUid ? 'new' : uid
  const formId = refusal?.formId ?? messageFormId(formUid, view.note ? `${revision}-scheduled` : revision)
  // The choice ends with its form, which begins anew from its defaults.
  const when = chosen?.formId === formId ? chosen.when : String(refusal?.values.when ?? defaults.when ?? 'now')
  const state = useSteps(messageSteps, { formId, open: view.open, intent: 'send' })
  const step = messageSteps[state.index]?.id ?? 'message'
  const closeTo = `${messagesPath}?${tableSearch(search, '').slice(1)}`
  const path = `${messagesPath}${isNew ? 'new' : uid}/`
  const action = `${messagesPath}choices/${choiceUid}/${isNew ? 'new' : 'edit'}/${uid}/`
  const isChanged = view.hasChoice || defaults.choice !== undefined
  return (
    <RouteDialog
      title={preview.shown ? 'Preview Message' : isNew ? 'Create Message' : 'Edit Message'}
      size="xl"
      isForm
      closeTo={closeTo}
      closeInside={preview.shown ? preview.close : undefined}
      status={isNew ? undefined : <StatusChip status="draft" />}
      footer={
        preview.shown ? (
          <span className="end">
            <SubmitButton className="btn--secondary" form={formId} intent={testIntent} busyWord="Sending">
              Send a test to yourself
            </SubmitButton>
            {isHydrated ? (
              <button className="btn btn--primary" type="button" onClick={preview.close}>
                Return to Create Message
              </button>
            ) : (
              <SubmitButton className="btn--primary" form={formId} intent={exitIntent} busyWord="Going back">
                Return to Create Message
              </SubmitButton>
            )}
          </span>
        ) : (
          <>
            <CloseLink closeTo={closeTo}>Cancel</CloseLink>
            {!isNew && <HistoryLink to={`${path}history/`} />}
            <StepButtons
              state={state}
              nextLabel={step === 'recipients' ? 'Review' : 'Next'}
              isNextDisabled={isUploading || (step === 'recipients' && people === 0 && recipients !== null)}
              more={
                <>
                  {step === 'message' && (
                    <SubmitButton className="btn--secondary" form={formId} intent={watchIntent} busyWord="Opening">
                      Preview
                    </SubmitButton>
                  )}
                  <SubmitButton
                    className="btn--secondary"
                    form={formId}
                    intent="save"
                    busyWord="Saving"
                    disabled={isUploading}
                  >
                    Save
                  </SubmitButton>
                </>
              }
            >
              <SubmitButton
                className="btn--primary"
                form={formId}
                intent="send"
                busyWord={when === 'later' ? 'Scheduling' : 'Sending'}
              >
                {when === 'later' ? 'Schedule for' : 'Send to'} {people.toLocaleString('en')} recipients
              </SubmitButton>
            </StepButtons>
          </>
        )
      }
    >
      {view.note && (
        <div className="notice flex flex-wrap items-center justify-between mb-6">
          <span>{view.note}. </span>
          <SubmitButton className="btn--secondary" form={formId} intent={unscheduleIntent} busyWord="Canceling">
            {view.isLate ? 'Keep as a draft' : 'Cancel the schedule'}
          </SubmitButton>
        </div>
      )}
      {preview.shown && <PreviewedText message={preview.shown} />}
      <div hidden={preview.shown !== null}>
        <ConsoleForm
          key={formId}
          id={formId}
          schema={schema}
          defaults={defaults}
          draft={{ kind: 'message', uid, isNew, offered: view.draft, isContinued: view.isContinued }}
          guard={{ noun: 'message', mode: isNew ? 'creating' : 'editing' }}
          encType="multipart/form-data"
          isWaiting={isUploading}
          intent={state.formProps.intent}
          neededBy={(intent) => {
            if (intent === 'save') return { fields: messageSteps[0].fields }
            // The preview covers the fields, so only the server tells what a test lacks, and the form comes back with it.
            const isUnchecked = [watchIntent, testIntent, unscheduleIntent].includes(intent)
            return isUnchecked ? { fields: [] } : state.formProps.neededBy(intent)
          }}
        >
          <input type="hidden" name="revision" value={revision} />
          <input type="hidden" name="uid" value={uid} />
          <input type="hidden" name="copyOf" value={refusal?.values.copyOf ?? view.copyOf} />
          <input type="hidden" name="choiceUid" value={choiceUid} />
          <input type="hidden" name="choice" value={isChanged || refusal?.values.choice ? choiceUid : ''} />
          <input type="hidden" name="recipients" value={people} />
          <input type="hidden" name="testUid" value={view.testUid} />
          <input type="hidden" name="shownTimes" value={refusal?.values.shownTimes ?? view.timesKey} />
          {review && <input type="hidden" name="shownRecipients" value={review.recipientsKey} />}
          {recipients && (
            <>
              <input type="hidden" name="tickedUids" value={[...selected].join(' ')} />
              <input
                type="hidden"
                name="filterState"
                value={JSON.stringify(readTableQuery(new URLSearchParams(search), recipientsTable).filters)}
              />
            </>
          )}
          <Steps
            state={state}
            contents={{
              message: <TextStep view={view} formId={formId} onBusyChange={setUploading} />,
              recipients: null,
              review: <ReviewStep view={view} when={when} onWhen={(when) => setChosen({ formId, when })} />,
            }}
          />
          {step === 'review' && review?.deliveryType === deliveryLabels.email && <OutboxNotice />}
          {step === 'review' && review && <ReviewedMessage review={review} />}
        </ConsoleForm>
        {step === 'recipients' && <FieldError id={`${formId}-recipients`} error={refusal?.fieldErrors.recipients} />}
        {step === 'recipients' && recipients && (
          <RecipientsPart path={path} action={action} view={recipients} selected={selected} onSelect={setSelected} />
        )}
      </div>
    </RouteDialog>
  )
}

/** Once the schedule is canceled, its notice with the focused button is gone. */
function useFocusAfterNote(note: string | null) {
  const before = useRef(note)
  useEffect(() => {
    if (before.current !== null && note === null && document.activeElement === document.body) {
      document.querySelector<HTMLElement>('.dlg section:not([hidden]) > .formsteps-title')?.focus()
    }
    before.current = note
  }, [note])
}

/** The preview that the action has sent, until it is closed. Then the focus returns to the button that opened it. */
function usePreview(): { shown: PreviewedMessage | null; close: () => void } {
  const preview = useActionData<{ preview?: PreviewedMessage } | null>()?.preview ?? null
  const [closed, setClosed] = useState<PreviewedMessage | null>(null)
  const shown = preview === closed ? null : preview
  const wasShown = useRef(false)
  useEffect(() => {
    if (wasShown.current && shown === null && document.activeElement === document.body) {
      document.querySelector<HTMLElement>(`.dlg button[value="${watchIntent}"]`)?.focus()
    }
    wasShown.current = shown !== null
  }, [shown])
  return { shown, close: () => setClosed(preview) }
}

const known = placeholders.map((name) => `{{${name}}}`).join(' and ')

type TextProps = { view: MessageDialogView; formId: string; onBusyChange: (isBusy: boolean) => void }

function TextStep({ view, formId, onBusyChange }: TextProps) {
  const { isNew, hasChoice, people } = view
  return (
    <>
      {isNew && hasChoice && (
        <p className="notice">
          {people === 0
            ? 'Nobody has been found for this message. '
            : people === 1
              ? 'One person gets this message. '
              : `${people.toLocaleString('en')} people get this message. `}
          You can change that in the next step.
        </p>
      )}
      <TextField name="name" label="Name" hint="Only admins see it." maxLength={messageLimits.name} hasCounter />
      <div className="formgrid">
        <RadioGroup
          name="deliveryType"
          label="Delivery"
          options={deliveryTypes.map((value) => ({ value, label: deliveryLabels[value] }))}
        />
        <SelectField name="from" label="Sender" options={view.senders} />
      </div>
      <TextField name="subject" label="Subject" maxLength={messageLimits.subject} hasCounter />
      <MarkdownField
        name="text"
        label="Message text"
        hint={`${known} are replaced with each recipient’s own.`}
        maxLength={messageLimits.text}
        canUpload
        hasPreview={false}
      />
      <FormFileField
        name="attachment"
        kind="attachment"
        label="Attachment"
        hint="An image, txt, pdf or zip of up to 1 MB."
        isOptional
        value={view.attachment}
        formId={formId}
        onBusyChange={onBusyChange}
      />
    </>
  )
}

type ReviewProps = { view: MessageDialogView; when: string; onWhen: (when: string) => void }

function ReviewStep({ view: { timeZone }, when, onWhen }: ReviewProps) {
  const isHydrated = useHydrated()
  const isNow = when !== 'later'
  const { error } = useFormField('sendAt')
  return (
    <div
      // The choice hides the time without a script, too.
      className="group formstack mb-6"
      onChange={({ target }) => {
        const { name, value } = target as HTMLInputElement
        if (name === 'when') onWhen(value)
      }}
    >
      <RadioGroup
        name="when"
        label="When"
        options={[
          { value: 'now', label: 'Send it now', hint: 'What has been sent cannot be taken back.' },
          { value: 'later', label: 'Send it at this time' },
        ]}
      />
      <div className="formgrid">
        {/* A disabled field is not sent. One with an error is about both, and can be changed. */}
        <fieldset
          disabled={isHydrated && isNow && !error}
          className={error ? 'contents' : 'contents group-has-[[value=now]:checked]:hidden'}
        >
          <DateTimeField name="sendAt" label="Send at" timeZone={timeZone} />
        </fieldset>
        <DateTimeField
          name="notAfter"
          label="Not after"
          hint="If the message cannot be sent by then, it waits for your decision."
          timeZone={timeZone}
          isOptional
        />
      </div>
    </div>
  )
}
