import { ConfirmRoute } from '../confirm-route.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { Changes } from './changes.tsx'
import type { RestoreView } from './view.ts'

/** Shows what bringing a revision back would change, and asks. */
export function RestoreDialog({ name, noun, closeTo, saved, changes, leftOut, ...shown }: RestoreView) {
  const title = `Restore ${name}`
  const then = saved ? `when ${saved.by} saved it on ${saved.at}` : 'then'
  const notes = leftOut.length > 0 && (
    <ul className="notice notice--warning formstack">
      {leftOut.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
  if (changes.length === 0) {
    return (
      <RouteDialog title={title} closeTo={closeTo} footer={<CloseLink closeTo={closeTo}>Back</CloseLink>}>
        <p>
          Nothing would change: the {noun} already is as it was {then}.
        </p>
        {notes}
      </RouteDialog>
    )
  }
  return (
    <ConfirmRoute
      title={title}
      size="lg"
      question={
        <div className="formstack">
          <p>
            This {noun} becomes what it was {then}. The present state stays in the history, so you can go back to it.
          </p>
          {notes}
          <Changes changes={changes} />
        </div>
      }
      actionLabel="Restore"
      intent="restore"
      fields={{ opened: String(shown.opened), ...(shown.shownTimes !== undefined && { shownTimes: shown.shownTimes }) }}
      closeTo={closeTo}
    />
  )
}
