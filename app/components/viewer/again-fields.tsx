import type { LaunchIntent } from '../modules/launch-form.tsx'
import type { ViewerLaunch } from './launch.ts'

/** What another launch from this page must say to be of the same kind: the attempt and mode that staff chose. */
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
