import { Link } from '@remix-run/react'
import { Icon } from '../ui/icon.tsx'

type Props = {
  title: string
  message: string
  /** The link was right: there is nothing to try again with it. */
  isUsed: boolean
  supportEmail: string
  next: { label: string; to: string }
}

/** A link that is wrong, used or over: why, and what to do instead. */
export function BadLink({ title, message, isUsed, supportEmail, next }: Props) {
  return (
    <div className="stack">
      <h1>{title}</h1>
      <div className="notice notice--error" role="alert">
        <Icon name="alert" />
        <p>{message}</p>
      </div>
      <p className="muted">
        {!isUsed && 'Some mail programs cut long links in two: open it whole. '}If you need help, write to{' '}
        <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
      </p>
      <p>
        <Link className="btn btn--primary btn--wide" to={next.to}>
          {next.label}
        </Link>
      </p>
    </div>
  )
}
