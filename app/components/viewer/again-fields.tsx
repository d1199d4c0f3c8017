import type { ReactNode } from 'react'
import { LaunchForm, type LaunchIntent } from '../modules/launch-form.tsx'
import type { ViewerLaunch } from './launch.ts'

/** Hidden fields for another launch from this page: they repeat the attempt and the mode that staff chose. */
export function AgainFields({ launch }: { launch: ViewerLaunch }) {
  if (!launch.staff) return null
  return (
    <>
      <input type="hidden" name="attempt" value={launch.staff.attempt} />
      <input type="hidden" name="mode" value={launch.staff.mode} />
    </>
  )
}

export function againIntent({ isPreview, staff }: ViewerLaunch): LaunchIntent {
  return isPreview && !staff ? 'preview' : 'resume'
}

type AgainFormProps = { launch: ViewerLaunch; className: string; children?: ReactNode }

/** A button that opens the unit again. `children` are further hidden fields. */
export function AgainForm({ launch, className, children }: AgainFormProps) {
  return (
    <LaunchForm
      versionUid={launch.module.versionUid}
      intent={againIntent(launch)}
      className={className}
      from={launch.from}
      replace
      fields={
        <>
          {children}
          <AgainFields launch={launch} />
        </>
      }
    >
      Open it again
    </LaunchForm>
  )
}
