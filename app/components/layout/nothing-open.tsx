import { Link } from '@remix-run/react'
import { Empty } from '../ui/empty.tsx'
import { useShell } from './shell.ts'

/** Returns the day on which the viewer's subscription ended; null if it has not. */
export function useAccessEndedOn(): string | null {
  return useShell().viewer?.accessEnded?.on ?? null
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
