import { Form, useLocation, useNavigation } from '@remix-run/react'
import type { ReactNode } from 'react'
import { useShell } from '../layout/shell.ts'
import { CsrfField, useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'

export type LaunchIntent = 'start' | 'resume' | 'retake' | 'next' | 'restart' | 'preview'

type Props = {
  versionUid: string
  intent: LaunchIntent
  className: string
  children: ReactNode
  /** The accessible name, if the visible one does not say enough: "Resume First in Human". */
  label?: string
  /** The address to return to from the viewer. Defaults to the page with the form. */
  from?: string
  replace?: boolean
  /** More fields for the form. */
  fields?: ReactNode
  id?: string
}

/**
 * A form with one button that opens a module. It is a post because a launch writes. The answer redirects to the viewer.
 */
export function LaunchForm({ versionUid, intent, className, children, label, from, replace, fields, id }: Props) {
  const { csrf } = useShell()
  const navigation = useNavigation()
  const isLaunching =
    navigation.formAction === '/launch/' && navigation.formData?.get('moduleVersionUid') === versionUid
  return (
    // A second click during the post would open the module twice and end the first session.
    <Form
      method="post"
      action="/launch/"
      replace={replace}
      id={id}
      onSubmit={(event) => isLaunching && event.preventDefault()}
    >
      <CsrfField token={csrf} />
      <LaunchFields versionUid={versionUid} from={from} />
      {fields}
      <button
        className={className}
        type="submit"
        name="intent"
        value={intent}
        aria-label={label}
        aria-disabled={isLaunching || undefined}
      >
        {children}
      </button>
    </Form>
  )
}

/**
 * One form around a list of cards. The pressed button says what to open. A form per card would make the page much
 * larger.
 */
export function LaunchList({ id, children }: { id?: string; children?: ReactNode }) {
  const { csrf } = useShell()
  const isLaunching = useNavigation().formAction === '/launch/'
  return (
    <Form id={id} method="post" action="/launch/" onSubmit={(event) => isLaunching && event.preventDefault()}>
      <CsrfField token={csrf} />
      <LaunchFields />
      {children}
    </Form>
  )
}

/** Opens a module. It must be inside a LaunchList, or name one by its id. */
export function LaunchButton({ versionUid, intent, className, children, label, form, title }: ButtonProps) {
  const name = intent === 'retake' || intent === 'preview' ? intent : 'moduleVersionUid'
  return (
    <button
      className={className}
      type="submit"
      form={form}
      name={name}
      value={versionUid}
      aria-label={label}
      title={title}
    >
      {children}
    </button>
  )
}

type CourseButtonProps = { uid: string; name: string; className: string; action?: 'Start' | 'Resume' }

/** Starts a course, or continues where the learner stopped. It must be inside a LaunchList. */
export function CourseResumeButton({ uid, name, className, action = 'Resume' }: CourseButtonProps) {
  return (
    <button className={className} type="submit" name="course" value={uid} aria-label={`${action} ${name}`}>
      {action}
      {action === 'Start' && <Icon name="arrow" />}
    </button>
  )
}

type ButtonProps = Pick<Props, 'versionUid' | 'intent' | 'className' | 'children' | 'label'> & {
  form?: string
  title?: string
}

export function LaunchFields({ versionUid, from }: { versionUid?: string; from?: string }) {
  const { pathname, search, hash } = useLocation()
  // With #mobile-test a module opens in its own window.
  const isMobileTest = useHydrated() && hash === '#mobile-test'
  return (
    <>
      {versionUid && <input type="hidden" name="moduleVersionUid" value={versionUid} />}
      <input type="hidden" name="from" value={from ?? pathname + search} />
      {isMobileTest && <input type="hidden" name="window" value="own" />}
    </>
  )
}
