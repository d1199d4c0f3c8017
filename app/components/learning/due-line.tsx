import { Icon } from '../ui/icon.tsx'

/** What the page of a module or course says about its assignment. `due`: "Due Nov 20, late". */
export type OwnDue = { due: string | null; note: string | null }

/** By when it is to be done, and the note of whoever has assigned it. */
export function DueLine({ own }: { own: OwnDue | null }) {
  if (!own) return null
  return (
    <div className="notice mt-4">
      <Icon name="clock" />
      <div>
        {own.due && (
          <p>
            <strong>{own.due}</strong>
          </p>
        )}
        {own.note && <p className="whitespace-pre-line wrap-anywhere">{own.note}</p>}
      </div>
    </div>
  )
}
