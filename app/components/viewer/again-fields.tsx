import type { LaunchIntent } from '../modules/launch-form.tsx'
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
