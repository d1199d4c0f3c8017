import { useEffect, useRef, useState } from 'react'
import { useShell } from '../layout/shell.ts'
import { LaunchForm } from '../modules/launch-form.tsx'
import { CsrfField } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { AgainFields, againIntent } from './again-fields.tsx'
import type { ViewerLaunch } from './launch.ts'

/**
 * Without `opener` the new window could not tell this page that the learner left. React's types lack `rel` on forms.
 */
const withOpener = { rel: 'opener' }

/** Opens a unit in its own window, if the unit requires it or for tests on phones. */
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
        <p className="muted max-w-measure">Exit the module there when you are done. This page will then continue.</p>
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
      <h2>This module opens in its own window</h2>
      <form
        className="acts"
        method="post"
        action={`/viewer/${launch.uid}/`}
        target="_blank"
        // Waits for the submission, because a form that leaves the page sends nothing.
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

/** With `#mobile-test`, opens the window without a click. If the browser blocks it, the button remains. */
function useMobileTest(launch: ViewerLaunch, onOpened: () => void): void {
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current || window.location.hash !== '#mobile-test' || !launch.launchUrl) return
    isDone.current = true
    if (window.open(launch.launchUrl, '_blank')) onOpened()
  })
}
