import { useEffect, useRef, useState } from 'react'
import { useShell } from '../layout/shell.ts'
import { LaunchForm } from '../modules/launch-form.tsx'
import { CsrfField } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { AgainFields, againIntent } from './again-fields.tsx'
import type { ViewerLaunch } from './launch.ts'

/** React's types do not know `rel` on a form; without `opener` the new window could not tell us that it was left. */
const withOpener = { rel: 'opener' }

/** For units that want a window of their own, and for tests on phones. */
export function OwnWindow({ launch, onOpened }: { launch: ViewerLaunch; onOpened: () => void }) {
  const { csrf } = useShell()
  const [isOpened, setOpened] = useState(false)
  const open = () => {
    setOpened(true)
    onOpened()
  }
  useMobileTest(launch, open)
  if (isOpened) {
    return (
      <div className="where">
        <h2>The module is open in its own window</h2>
        <p className="muted max-w-measure">Leave it there when you are done, and this page goes on.</p>
        <div className="acts">
          <LaunchForm
            versionUid={launch.module.versionUid}
            intent={againIntent(launch)}
            className="btn btn--secondary btn--wide"
            from={launch.from}
            replace
            fields={<AgainFields launch={launch} />}
          >
            Open it again
          </LaunchForm>
        </div>
      </div>
    )
  }
  return (
    <div className="where">
      <h2>This module opens in a window of its own</h2>
      <form
        className="acts"
        method="post"
        action={`/viewer/${launch.uid}/`}
        target="_blank"
        // After the submission: a form that left the page in the meantime would send nothing.
        onSubmit={() => window.setTimeout(open)}
        {...withOpener}
      >
        <CsrfField token={csrf} />
        <button className="btn btn--primary btn--wide" type="submit" name="intent" value="open">
          <Icon name="external" />
          Open {launch.module.name}
        </button>
      </form>
    </div>
  )
}

/** With `#mobile-test` the window opens by itself, as far as the browser lets it; else the button is there. */
function useMobileTest(launch: ViewerLaunch, onOpened: () => void): void {
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current || window.location.hash !== '#mobile-test' || !launch.launchUrl) return
    isDone.current = true
    if (window.open(launch.launchUrl, '_blank')) onOpened()
  })
}
