import { useEffect, useRef } from 'react'
import { CoverImage } from './cover-image.tsx'
import { LaunchForm, type LaunchIntent } from './launch-form.tsx'
import type { ModuleView } from './view.ts'
import { actionOf, elsewhereNote } from './view.ts'

/**
 * Shows the module that `?launch=` or `/module-link/` names, with one button. With JavaScript the page presses the
 * button itself, and the viewer replaces this page in the history, so that Back does not start the module again.
 */
export function StartPanel({ module }: { module: ModuleView }) {
  const ref = useRef<HTMLDivElement>(null)
  const { uid, versionUid } = module
  useEffect(() => {
    if (!uid || !versionUid) return
    ref.current?.querySelector('form')?.requestSubmit(ref.current.querySelector('button'))
  }, [uid, versionUid])
  if (!versionUid) {
    return (
      <p className="notice my-6" role="status">
        {module.name}: {whyClosed(module)}
      </p>
    )
  }
  const action = actionOf(module)
  const phase = module.phase ? { 'data-phase': module.phase } : {}
  return (
    <div ref={ref} className="continue my-6" {...phase}>
      <CoverImage module={module} isFirst />
      <div>
        {module.step && <span className="eyebrow">{module.step}</span>}
        <h2 className="mt-1">{module.name}</h2>
        <p className="muted mt-2 mb-6">{module.description}</p>
        <LaunchForm
          versionUid={versionUid}
          intent={(action === 'Retake' ? 'resume' : action.toLowerCase()) as LaunchIntent}
          className="btn btn--primary"
          from={`/modules/${module.uid}/`}
          replace
        >
          {action === 'Retake' ? 'Open' : action}
        </LaunchForm>
      </div>
    </div>
  )
}

function whyClosed(module: ModuleView): string {
  if (module.isElsewhere) {
    const note = elsewhereNote(module)
    return `${note.charAt(0).toLowerCase()}${note.slice(1)} and cannot be opened in a browser.`
  }
  return `this module is ${module.isComingSoon ? 'coming soon' : 'not published'} and cannot be opened yet.`
}
