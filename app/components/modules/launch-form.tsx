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
  /** The accessible name where the visible one says too little: "Resume First in Human". */
  label?: string
  /** Where the viewer leads back to; the page that the form stands on unless told. */
  from?: string
  replace?: boolean
  /** Lets other fields or a unit's button join the form. */
  fields?: ReactNode
  id?: string
}

/** Opening a module writes, so it is a post: one button, and the answer leads to the viewer. */
export function LaunchForm({ versionUid, intent, className, children, label, from, replace, fields, id }: Props) {
  const { csrf } = useShell()
  const navigation = useNavigation()
  const isLaunching =
    navigation.formAction === '/launch/' && navigation.formData?.get('moduleVersionUid') === versionUid
  return (
    // A second press while the first is under way would open the module twice and end the first.
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
 * One form around a list, whose pressed button says what to open: a form for each of many cards would be most of the page.
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

/** Inside a LaunchList, or elsewhere with the id of one. */
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

/** Begins a course, or goes on in it wherever the learner is. Inside a LaunchList. */
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
  // On phones under test a module opens in a window of its own.
  const isMobileTest = useHydrated() && hash === '#mobile-test'
  return (
    <>
      {versionUid && <input type="hidden" name="moduleVersionUid" value={versionUid} />}
      <input type="hidden" name="from" value={from ?? pathname + search} />
      {isMobileTest && <input type="hidden" name="window" value="own" />}
    </>
  )
}
