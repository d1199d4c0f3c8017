import { Link } from '@remix-run/react'
import { useShell } from '../layout/shell.ts'
import { Icon } from '../ui/icon.tsx'

/** Tells admins of an installation without a mail server that "sent" is not what it says. */
export function OutboxNotice() {
  const { viewer } = useShell()
  if (!viewer?.hasOutbox) return null
  return (
    <p className="notice notice--warning mb-4">
      <Icon name="alert" />
      <span>
        No mail server is set up, so emails reach nobody. They are kept in the{' '}
        <Link to="/dashboard/outbox/">outbox</Link>.
      </span>
    </p>
  )
}
