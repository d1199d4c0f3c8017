import { useLocation, useNavigate, useSubmit } from '@remix-run/react'
import type { MouseEvent } from 'react'
import { notify } from '~/browser/notices.ts'
import { noPackageToPreview, packageProblemToPublish } from '~/forms/modules.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { useShell } from '../../layout/shell.ts'
import { useHydrated } from '../../ui/form.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { hasUnsavedChanges } from '../unsaved-guard.tsx'
import type { SavedModuleView } from './view.ts'

type Props = { formId: string; module: SavedModuleView | null; isUploading: boolean }

/**
 * The buttons PREVIEW, PUBLISH or UNPUBLISH, and Save. The first two need a saved module. With JavaScript an unsaved
 * one is refused without a request; without it the server refuses.
 */
export function ModuleActions({ formId, module, isUploading }: Props) {
  const { csrf } = useShell()
  const isHydrated = useHydrated()
  const navigate = useNavigate()
  const submit = useSubmit()
  const { search } = useLocation()
  const isPublished = module?.status === 'published'

  const act = (problem: () => string | null, proceed: () => void) => (event: MouseEvent<HTMLButtonElement>) => {
    if (!isHydrated) return
    event.preventDefault()
    const text = problem()
    if (text) notify({ kind: 'error', text })
    else proceed()
  }
  const isDirty = () => hasUnsavedChanges(document.getElementById(formId) as HTMLFormElement | null)
  const preview = act(
    () => previewProblem(module, isDirty()),
    () => {
      const from = window.location.pathname + window.location.search
      const fields = { csrf: csrf ?? '', intent: 'preview', moduleVersionUid: module?.latest?.uid ?? '', from }
      submit(fields, { method: 'post', action: '/launch/' })
    },
  )
  const publish = act(
    () => publishProblem(module, isDirty()),
    () => navigate(`/dashboard/modules/${module?.uid}/publish/${tableSearch(search)}`, { preventScrollReset: true }),
  )
  return (
    <span className="end">
      {!module?.latest && (
        <span id={`${formId}-unpublished`} className="muted small max-sm:basis-full">
          Save it with a package to publish it.
        </span>
      )}
      <SubmitButton className="btn--secondary" form={formId} intent="preview" busyWord="Opening" onClick={preview}>
        PREVIEW
      </SubmitButton>
      <SubmitButton
        className={isPublished ? 'btn--danger-line' : 'btn--secondary'}
        form={formId}
        intent="publish"
        busyWord="Opening"
        disabled={!module?.latest}
        describedBy={module?.latest ? undefined : `${formId}-unpublished`}
        onClick={publish}
      >
        {isPublished ? 'UNPUBLISH' : 'PUBLISH'}
      </SubmitButton>
      <SubmitButton
        className="btn--primary"
        form={formId}
        intent="save"
        busyWord="Saving"
        disabled={isUploading}
        title={isUploading ? 'You can save as soon as the upload is complete.' : undefined}
      >
        Save
      </SubmitButton>
    </span>
  )
}

function previewProblem(module: SavedModuleView | null, isDirty: boolean): string | null {
  if (!module || isDirty) return 'Module needs to be saved before previewing'
  if (!module.latest) return noPackageToPreview
  if (module.latest.package?.status !== 'parsed') {
    return "Can't preview the module - the zip file hasn't been processed"
  }
  return null
}

function publishProblem(module: SavedModuleView | null, isDirty: boolean): string | null {
  if (isDirty) return 'Module needs to be saved before publishing/unpublishing'
  if (!module || module.status === 'published') return null
  if (module.isComingSoon) return 'Module marked as "Coming Soon" can\'t be published'
  return packageProblemToPublish(module.latest?.package?.status)
}
