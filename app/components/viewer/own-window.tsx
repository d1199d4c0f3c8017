import { useEffect, useRef, useState } from 'react'
import { useShell } from '../layout/shell.ts'
import { CsrfField } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { AgainForm } from './again-fields.tsx'
import type { ViewerLaunch } from './launch.ts'
import type { Viewing } from './use-viewing.ts'

/**
 * Without `opener` the new window could not tell this page that the learner left. React's types lack `rel` on forms.
 */
const withOpener = { rel: 'opener' }

/** Opens a unit in another window, if the unit requires it or for tests on phones. */
export function OwnWindow({ launch, onOpened }: { launch: ViewerLaunch; onOpened: Viewing['showOpened'] }) {
  const { csrf } = useShell()
  const [isOpened, setOpened] = useState(false)
  const open = (own: Window | null) => {
    setOpened(true)
    onOpened(own)
  }
  useMobileTest(launch, open)
  const windowName = `unit-${launch.uid}`
  const name = (
    <>
      <Icon name="external" />
      Open {launch.module.name}
    </>
  )
  if (isOpened) {
    return (
      <div className="where">
        <h2>The module is open in its own window</h2>
        <p className="muted max-w-measure">
          Exit the module there when you are done.{' '}
          {launch.opening === 'window' ? 'This page will then continue.' : 'Then come back to this page.'}
        </p>
        <div className="acts">
          <AgainForm launch={launch} className="btn btn--secondary btn--wide" />
        </div>
      </div>
    )
  }
  return (
    <div className="where">
      <h2>This module opens in its own window</h2>
      {launch.opening === 'alone' ? (
        <div className="acts">
          <a
            className="btn btn--primary btn--wide"
            href={launch.launchUrl ?? undefined}
            target="_blank"
            rel="noopener"
            // Waits for the navigation, because it would not happen without the link.
            onClick={() => window.setTimeout(open, 0, null)}
          >
            {name}
          </a>
        </div>
      ) : (
        <form
          className="acts"
          method="post"
          action={`/viewer/${launch.uid}/`}
          target={windowName}
          onSubmit={() => {
            // The form would open the window by itself, but give no handle of it.
            const own = window.open('', windowName)
            // Waits for the submission, because a form that leaves the page sends nothing.
            window.setTimeout(open, 0, own)
          }}
          {...withOpener}
        >
          <CsrfField token={csrf} />
          <input type="hidden" name="from" value={launch.from} />
          <button className="btn btn--primary btn--wide" type="submit" name="intent" value="open">
            {name}
          </button>
        </form>
      )}
    </div>
  )
}

/** With `#mobile-test`, opens the window without a click. If the browser blocks it, the button remains. */
function useMobileTest(launch: ViewerLaunch, onOpened: (own: Window) => void): void {
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current || window.location.hash !== '#mobile-test' || !launch.launchUrl) return
    isDone.current = true
    const address = `/viewer/${launch.uid}/window/?${new URLSearchParams({ from: launch.from })}`
    const own = launch.opening === 'window' ? window.open(address, '_blank') : null
    if (own) onOpened(own)
  })
}
