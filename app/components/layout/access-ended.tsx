import { Link } from '@remix-run/react'
import { Empty } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Shell } from './shell.ts'
import { useShell } from './shell.ts'

/** Tells somebody whose subscription has ended since when, and whom to ask. Shows nothing to everybody else. */
export function AccessEndedNote({ shell: { viewer, brand } }: { shell: Shell }) {
  if (!viewer?.accessEndedOn) return null
  return (
    <div className="wrap py-4">
      <p className="notice flex items-start gap-3">
        <Icon name="alert" className="mt-1" />
        <span>
          <strong>Your access ended on {viewer.accessEndedOn}.</strong> What you started and completed is kept in{' '}
          <Link to="/my-learning/">My Learning</Link>. To open it again, ask the person who invited you, or write to{' '}
          <a href={`mailto:${brand.supportEmail}`}>{brand.supportEmail}</a>.
        </span>
      </p>
    </div>
  )
}

/** Returns the day on which the viewer's subscription ended; null if it has not. */
export function useAccessEndedOn(): string | null {
  return useShell().viewer?.accessEndedOn ?? null
}

/** Fills a list of content for somebody whose subscription has ended. The note above it says whom to ask. */
export function NothingOpen() {
  return (
    <Empty icon="stack" title="Nothing is open at the moment">
      <p>Courses, modules, lectures and videos open again when your access is renewed.</p>
      <Link className="btn btn--secondary" to="/my-learning/">
        Go to My Learning
      </Link>
    </Empty>
  )
}
