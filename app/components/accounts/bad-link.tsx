import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { Icon } from '../ui/icon.tsx'

type Props = {
  title: string
  message: string
  /** The link was correct but has been used, so opening it again does not help. */
  isUsed: boolean
  supportEmail: string
  next: { label: string; to: string }
  /** What else can be done. */
  children?: ReactNode
}

/** Explains why a link is wrong, used or expired, and what to do instead. */
export function BadLink({ title, message, isUsed, supportEmail, next, children }: Props) {
  return (
    <div className="stack">
      <h1>{title}</h1>
      <div className="notice notice--error" role="alert">
        <Icon name="alert" />
        <p>{message}</p>
      </div>
      <p className="muted">
        {!isUsed && 'Some mail programs break long links. Make sure that you open the whole link. '}If you need help,
        write to <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
      </p>
      {children}
      <p>
        <Link className="btn btn--primary btn--wide" to={next.to}>
          {next.label}
        </Link>
      </p>
    </div>
  )
}
