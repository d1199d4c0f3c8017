import { useFetcher } from '@remix-run/react'
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { notify } from '~/browser/notices.ts'
import { isNewEmail, longestEmail, longestName, profileErrors, updateFailed } from '~/forms/profile-rules.ts'
import {
  type Answered,
  answerErrors,
  askedField,
  choiceField,
  customField,
  type ProfileQuestion,
  readAnswers,
} from '~/forms/questionnaire-rules.ts'
import { QuestionFields, type Typed } from '../questionnaire/question-fields.tsx'
import { TextField } from '../ui/fields.tsx'
import { CsrfField, FormErrors, useHydrated } from '../ui/form.tsx'
import { LeaveGuard } from '../ui/leave-guard.tsx'
import { PasswordField } from '../ui/password-field.tsx'
import { valuesOf } from './use-checked-form.ts'

export const profileAddress = '/my-learning/my-profile/'

export type Profile = {
  isAdmin: boolean
  firstName: string
  lastName: string
  email: string
  institution: string | null
  questions: ProfileQuestion[]
  answers: Answered[]
}

export type ProfileAnswer = { saved: string } | (Typed & { csrf: string })

/** Shows the viewer's own profile. Admins have no questionnaire and no institution here. */
export function ProfileView({ profile }: { profile: Profile }) {
  const { isAdmin, firstName, lastName, email, institution, questions, answers } = profile
  return (
    <dl className="profile">
      <Row term="First name">{firstName}</Row>
      <Row term="Last name">{lastName}</Row>
      {/* Not beside "Institution or company", the question about its kind. */}
      {!isAdmin && <Row term="Institution">{institution}</Row>}
      <Row term="Email">{email}</Row>
      {!isAdmin &&
        questions.map((question) => (
          <Row key={question.uid} term={question.text}>
            {saidTo(
              question,
              answers.find(({ questionUid }) => questionUid === question.uid),
            )}
          </Row>
        ))}
    </dl>
  )
}

function Row({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children || <span className="muted">Not given</span>}</dd>
    </div>
  )
}

/** Returns the answer in words. A custom answer replaces the text of the option that asked for it. */
function saidTo({ options }: ProfileQuestion, answer: Answered | undefined): string {
  return options
    .filter(({ uid }) => answer?.optionUids.includes(uid))
    .map(({ text, allowsCustomAnswer }) => (allowsCustomAnswer && answer?.customAnswer) || text)
    .join(', ')
}

type EditProps = {
  profile: Profile
  csrf: string | null
  /** The answer to the page's own post, without JavaScript. */
  answer?: ProfileAnswer
  onSaved: (message: string) => void
  /** The Cancel control of the page or dialog around the form. */
  cancel: ReactNode
  /** Asks before unsaved changes are left. Only the page needs it: the dialog asks by itself. */
  isGuarded?: boolean
}

/**
 * The form of the profile. With JavaScript it sends only the fields that changed; without it, all fields, and the
 * service finds those that changed.
 */
export function ProfileEdit({ profile, csrf, answer: posted, onSaved, cancel, isGuarded = false }: EditProps) {
  const fetcher = useFetcher<ProfileAnswer>()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLElement>('input:not([type="hidden"])')?.focus(), [])
  const [found, setFound] = useState<Typed | null>(null)
  const answer = fetcher.data ?? posted
  const refused = answer && 'fieldErrors' in answer ? answer : undefined
  // L-253: a failed update appears as a notice, so the form does not repeat it.
  const refusal = found ?? (fetcher.data && refused?.message === updateFailed ? undefined : refused)
  useOutcome(fetcher.data, (message) => {
    // The form must not count as unsaved in the moment before the view returns.
    form.current?.reset()
    onSaved(message)
  })
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const sent = new FormData(form)
    const fieldErrors = {
      ...profileErrors(valuesOf(form), profile.email),
      ...answerErrors(profile.questions, readAnswers(sent, profile.questions)),
    }
    if (Object.keys(fieldErrors).length > 0) return setFound({ message: '', fieldErrors, values: {} })
    setFound(null)
    const changed = changedFields(sent, profile)
    // Without flushSync, React now and then lost the answer of a save that failed at once: no notice appeared.
    if (changed) fetcher.submit(changed, { method: 'post', action: profileAddress, flushSync: true })
    else onSaved('')
  }
  return (
    <fetcher.Form
      method="post"
      action={profileAddress}
      className="profile-form"
      noValidate
      onSubmit={onSubmit}
      ref={form}
    >
      {isGuarded && <LeaveGuard form={form} />}
      <div className="in stack">
        <FormErrors refusal={refusal} />
        <PersonFields profile={profile} refusal={refusal} />
        {!profile.isAdmin && (
          <>
            <p className="small muted">* indicates a required question</p>
            <QuestionFields questions={profile.questions} answers={profile.answers} refusal={refusal} />
          </>
        )}
        <CsrfField token={(refused && 'csrf' in refused && refused.csrf) || csrf} />
      </div>
      <footer>
        {cancel}
        <button
          className="btn btn--primary"
          type="submit"
          name="intent"
          value="save"
          aria-disabled={fetcher.state !== 'idle' || undefined}
        >
          Save
        </button>
      </footer>
    </fetcher.Form>
  )
}

function PersonFields({ profile, refusal }: { profile: Profile; refusal: Typed | undefined }) {
  const typed = refusal?.values ?? {}
  const errors = refusal?.fieldErrors ?? {}
  const isHydrated = useHydrated()
  const institutionId = useId()
  const [email, setEmail] = useState(typed.email ?? profile.email)
  const text = (name: 'firstName' | 'lastName', label: string, autoComplete: string) => (
    <TextField
      name={name}
      label={label}
      autoComplete={autoComplete}
      maxLength={longestName}
      defaultValue={typed[name] ?? profile[name]}
      error={errors[name]}
    />
  )
  return (
    <>
      {text('firstName', 'First name', 'given-name')}
      {text('lastName', 'Last name', 'family-name')}
      <div onInput={(event) => setEmail((event.target as HTMLInputElement).value)}>
        <TextField
          name="email"
          label="Email"
          type="email"
          autoComplete="email"
          maxLength={longestEmail}
          defaultValue={typed.email ?? profile.email}
          error={errors.email}
        />
      </div>
      {(!isHydrated || isNewEmail({ email }, profile.email)) && (
        <PasswordField
          name="currentPassword"
          label="Current password"
          hint="Required to change your email address. You will be logged out everywhere else."
          autoComplete="current-password"
          error={errors.currentPassword}
        />
      )}
      {!profile.isAdmin && (
        <div className="field">
          <label htmlFor={institutionId}>Institution</label>
          <input
            className="input"
            id={institutionId}
            value={profile.institution ?? ''}
            readOnly
            aria-describedby={`${institutionId}-hint`}
          />
          <span className="hint mt-1" id={`${institutionId}-hint`}>
            Only an administrator can change it.
          </span>
        </div>
      )}
    </>
  )
}

/** Reports each save once: calls `onSaved`, or shows a notice for a failure that belongs to no field. */
function useOutcome(answer: ProfileAnswer | undefined, onSaved: (message: string) => void): void {
  const saved = useRef(onSaved)
  saved.current = onSaved
  useEffect(() => {
    if (!answer) return
    if ('saved' in answer) saved.current(answer.saved)
    else if (Object.keys(answer.fieldErrors).length === 0) notify({ kind: 'error', text: answer.message })
  }, [answer])
}

/** Returns the fields that differ from the saved profile, with the token and the intent; null if nothing differs. */
function changedFields(form: FormData, profile: Profile): FormData | null {
  const changed = new FormData()
  for (const name of ['firstName', 'lastName', 'email'] as const) {
    const value = form.get(name)
    if (typeof value === 'string' && value.trim() !== profile[name]) changed.set(name, value)
  }
  if (changed.has('email')) changed.set('currentPassword', form.get('currentPassword') ?? '')
  for (const { question, chosenOption, chosenOptions, customAnswer } of readAnswers(form, profile.questions)) {
    const before = profile.answers.find(({ questionUid }) => questionUid === question)
    const chosen = [...(chosenOption ? [chosenOption] : []), ...(chosenOptions ?? [])]
    const isSame =
      chosen.length === (before?.optionUids.length ?? 0) && chosen.every((uid) => before?.optionUids.includes(uid))
    if (isSame && (customAnswer ?? '').trim() === (before?.customAnswer ?? '')) continue
    changed.append(askedField, question)
    for (const uid of chosen) changed.append(choiceField(question), uid)
    changed.set(customField(question), customAnswer ?? '')
  }
  if ([...changed.keys()].length === 0) return null
  changed.set('csrf', form.get('csrf') ?? '')
  changed.set('intent', 'save')
  return changed
}
