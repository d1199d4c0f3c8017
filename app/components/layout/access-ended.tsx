import { Icon } from '../ui/icon.tsx'
import type { Shell } from './shell.ts'

/**
 * Tells somebody whose subscription has ended since when, and whom to ask. Shows nothing to everybody else. The words come
 * with the data, because few people need them and every page would load them.
 */
export function AccessEndedNote({ shell: { viewer, brand } }: { shell: Shell }) {
  if (!viewer?.accessEnded) return null
  const { on, advice } = viewer.accessEnded
  return (
    <div className="wrap py-4">
      <p className="notice flex items-start gap-3">
        <Icon name="alert" className="mt-1" />
        <span>
          <strong>Your access ended on {on}.</strong> {advice}{' '}
          <a href={`mailto:${brand.supportEmail}`}>{brand.supportEmail}</a>.
        </span>
      </p>
    </div>
  )
}
