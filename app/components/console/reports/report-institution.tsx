import { reportInstitutionForm } from '~/forms/scheduled-reports.ts'
import { SelectField } from '../../ui/choice-fields.tsx'
import { ConsoleForm } from '../console-form.tsx'
import { CloseFooter, CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { ReportInstitutionView } from './view.ts'

/** Gives a scheduled report another institution, because its own was deleted. */
export function ReportInstitution({ uid, words, problem, institutions, closeTo }: ReportInstitutionView) {
  const formId = `report-institution-${uid}`
  const title = 'Choose Another Institution'
  if (problem !== null) {
    return (
      <RouteDialog title={title} size="md" closeTo={closeTo} footer={<CloseFooter closeTo={closeTo} />}>
        <p className="dlg-question">{words}</p>
        <p className="mt-4">{problem}</p>
      </RouteDialog>
    )
  }
  return (
    <RouteDialog
      title={title}
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
      <p className="dlg-question">{words}</p>
      <ConsoleForm
        id={formId}
        schema={reportInstitutionForm}
        defaults={{ institution: '' }}
        guard={{ noun: 'scheduled report', mode: 'editing' }}
        className="formstack mt-4"
      >
        <SelectField
          name="institution"
          label="Institution"
          hint="The report is about its people from now on."
          options={institutions}
          placeholder="Choose an institution"
        />
      </ConsoleForm>
    </RouteDialog>
  )
}
