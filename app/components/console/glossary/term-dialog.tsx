import { useRef } from 'react'
import { glossaryLimits, glossaryTermForm, termFormId } from '~/forms/glossary.ts'
import { TextField } from '../../ui/fields.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { ProblemsLine } from '../checks/problems.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import type { DraftOfForm } from '../drafts/form-draft.tsx'
import { HistoryLink } from '../history/history-link.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'

type Props = {
  /** For a new term, the uid that it will get. */
  uid: string
  /** Null while the term is being created. */
  term: { name: string; definition: string; slug: string; revision: number } | null
  draft: DraftOfForm['offered']
  problems?: string[]
}

const closeTo = '/dashboard/glossary/'

export function TermDialog({ uid: given, term, draft, problems = [] }: Props) {
  const name = useRef<HTMLInputElement>(null)
  const refusal = useRefusal()
  // When another person has saved changes, the form is created again with those changes.
  const revision = refusal?.values.revision ?? String(term?.revision ?? 0)
  // A new term that is restored from a draft has the uid of the draft.
  const uid = refusal?.values.uid || given
  const formId = refusal?.formId ?? termFormId(term ? uid : 'new', revision)
  return (
    <RouteDialog
      title={term ? 'Edit Term' : 'Add Term'}
      size="md"
      isForm
      closeTo={closeTo}
      initialFocus={name}
      footer={
        <>
          <CloseLink closeTo={closeTo} />
          {term && <HistoryLink to={`${closeTo}${uid}/history/`} />}
          <span className="end">
            <SubmitButton className="btn--primary" form={formId} intent="save" busyWord="Saving">
              Save
            </SubmitButton>
          </span>
        </>
      }
    >
      <ConsoleForm
        key={formId}
        id={formId}
        schema={glossaryTermForm}
        defaults={term ?? {}}
        draft={{ kind: 'term', uid, isNew: !term, offered: draft }}
        guard={{ noun: 'term', mode: term ? 'editing' : 'creating' }}
        className="formstack"
      >
        <input type="hidden" name="revision" value={revision} />
        <input type="hidden" name="uid" value={uid} />
        <ProblemsLine problems={problems} />
        <TextField name="name" label="Term" maxLength={glossaryLimits.name} hasCounter inputRef={name} />
        <TextArea name="definition" label="Definition" maxLength={glossaryLimits.definition} />
        {term && <p className="muted small">Its address stays /glossary/{term.slug}/, even if the term changes.</p>}
      </ConsoleForm>
    </RouteDialog>
  )
}
