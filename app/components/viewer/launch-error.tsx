import { Link } from '@remix-run/react'
import { Icon } from '../ui/icon.tsx'
import { ViewerFrame } from './viewer.tsx'

export function LaunchError({ message, from }: { message: string; from: string | null }) {
  const back = from ?? '/modules/'
  return (
    <ViewerFrame name="Module" from={back}>
      <div className="frame">
        <div className="where">
          <p className="notice notice--error" role="alert">
            <Icon name="alert" />
            <span>Error: {message}</span>
          </p>
          <Link className="btn btn--secondary" to={back} replace>
            CLOSE MODULE
          </Link>
        </div>
      </div>
    </ViewerFrame>
  )
}
