import { Form } from '@remix-run/react'
import type { ReactNode } from 'react'
import { newMessageFor } from '~/forms/recipients.ts'
import { useShell } from '../../layout/shell.ts'
import { CsrfField } from '../../ui/form.tsx'
import { ConsoleIcon } from '../console-icon.tsx'

type Props = {
  /** What the button chooses: an audience, or whoever a query of the table of users finds. */
  choose: 'audience' | 'users'
  /** The uid of the audience, or the query of the table's address. */
  value: string
  isQuiet?: boolean
  children: ReactNode
}

/** Opens a new message with these people as its recipients. Nothing where the site has no messages. */
export function WriteTo({ choose, value, isQuiet = false, children }: Props) {
  const { csrf } = useShell()
  if (!useMayWrite()) return null
  return (
    <Form method="post" action={newMessageFor} navigate={false}>
      <CsrfField token={csrf} />
      <input type="hidden" name={choose} value={value} />
      <button className={`btn btn--${isQuiet ? 'quiet' : 'secondary'}`} type="submit" name="choose" value={choose}>
        <ConsoleIcon name="message" />
        {children}
      </button>
    </Form>
  )
}

/** A button for the selection of a table: the selected people are the recipients of a new message. */
export function WriteToSelected() {
  if (!useMayWrite()) return null
  return (
    <button className="btn btn--secondary" type="submit" formAction={newMessageFor} name="choose" value="add">
      <ConsoleIcon name="message" />
      Write to selected
    </button>
  )
}

/** Tells whether the viewer writes messages. */
export function useMayWrite(): boolean {
  const { flags, viewer } = useShell()
  return flags.includes('ANNOUNCEMENTS') && viewer?.isAdmin === true
}
