import type { ReactNode } from 'react'
import { CloseLink, RouteDialog } from './route-dialog.tsx'
import { SubmitButton } from './submit-button.tsx'

type Props = {
  /** Of what is merged into another one. */
  name: string
  formId: string
  closeTo: string
  /** The consequences are shown. */
  isPreviewed: boolean
  children: ReactNode
}

/** The dialog of a merger. The first press shows what would change, and the second one does it. */
export function MergeDialogFrame({ name, formId, closeTo, isPreviewed, children }: Props) {
  return (
    <RouteDialog
      title={`Merge “${name}”`}
      size="md"
      isForm
      closeTo={closeTo}
      footer={
        <>
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          <span className="end">
            <SubmitButton
              className={isPreviewed ? 'btn--secondary' : 'btn--primary'}
              form={formId}
              intent="preview"
              busyWord="Checking"
            >
              Show what changes
            </SubmitButton>
            {isPreviewed && (
              <SubmitButton className="btn--primary" form={formId} intent="merge" busyWord="Merging">
                Merge
              </SubmitButton>
            )}
          </span>
        </>
      }
    >
      {children}
    </RouteDialog>
  )
}
