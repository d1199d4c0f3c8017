import { useLocation } from '@remix-run/react'
import { useMemo } from 'react'
import { dueForm, longestNote } from '~/forms/assignments.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { DateField } from '../../ui/date-fields.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { HiddenFields } from '../confirm-route.tsx'
import { ConsoleForm } from '../console-form.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { DueOfUser } from './view.ts'

const formId = 'due'

/** Changes or removes the due date and the note of what one person has been assigned. */
export function DueDialog({ view }: { view: DueOfUser }) {
  const { userUid, name, what, kind, today, dueOn, note } = view
  const schema = useMemo(() => dueForm({ today, stored: dueOn || null }), [today, dueOn])
  const table = tableSearch(useLocation().search).replace('?', '&')
  const closeTo = `/dashboard/users/${userUid}/progress/?of=${kind}&list=assigned${table}`
  return (
    <RouteDialog
      title="Due date and note"
      size="md"
      isForm
      closeTo={closeTo}
      footer={
        <span className="end">
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          <SubmitButton className="btn--primary" form={formId} intent="save" busyWord="Saving">
            Save
          </SubmitButton>
        </span>
      }
    >
      <ConsoleForm
        id={formId}
        schema={schema}
        defaults={{ dueOn, note }}
        guard={{ noun: 'due date', mode: 'editing' }}
        className="formstack"
      >
        <HiddenFields fields={{ openedDueOn: dueOn, openedNote: note }} />
        <p className="wrap-anywhere">
          {kind === 'modules' ? 'Module' : 'Course'} “{what}”, for {name}
        </p>
        <DateField name="dueOn" label="Due date" hint="Leave it empty for none." isOptional />
        <TextArea name="note" label="Note" isOptional maxLength={longestNote} />
      </ConsoleForm>
    </RouteDialog>
  )
}
