import { Link, useFetcher } from '@remix-run/react'
import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { Icon } from '../ui/icon.tsx'
import { notify } from '../ui/notices.tsx'
import { type Profile, ProfileEdit, ProfileView, profileAddress } from './profile-panel.tsx'

type Props = { csrf: string | null; isAdmin: boolean; onClose: () => void; onChangePassword: () => void }

/** The page of the profile over the page one is on. */
export function ProfileDialog({ csrf, isAdmin, onClose, onChangePassword }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const fetcher = useFetcher<Profile>()
  const [isEditing, setEditing] = useState(false)
  const { load, data: profile } = fetcher
  useEffect(() => {
    if (!ref.current?.open) ref.current?.showModal()
    load(profileAddress)
  }, [load])
  const close = () => ref.current?.close()
  const changePassword = (event: MouseEvent) => {
    event.preventDefault()
    close()
    onChangePassword()
  }
  const onSaved = (message: string) => {
    setEditing(false)
    if (message) notify({ kind: 'info', text: message })
  }
  return createPortal(
    <dialog ref={ref} className="dlg dlg--account dlg--profile" aria-labelledby="profile-title" onClose={onClose}>
      <header>
        <h2 id="profile-title">{isAdmin ? 'Admin Profile' : 'Learner Profile'}</h2>
      </header>
      {profile && isEditing && (
        <ProfileEdit
          profile={profile}
          csrf={csrf}
          onSaved={onSaved}
          cancel={
            <button className="btn btn--secondary" type="button" onClick={() => setEditing(false)}>
              Cancel
            </button>
          }
        />
      )}
      {!isEditing && (
        <>
          <div className="in">
            {profile ? <ProfileView profile={profile} /> : <ProfileSkeleton rows={isAdmin ? 3 : 8} />}
          </div>
          <footer>
            <Link className="btn btn--quiet" to="/change-password/" onClick={changePassword}>
              <Icon name="key" />
              Change Password
            </Link>
            <button className="btn btn--secondary" type="button" onClick={close}>
              Close
            </button>
            <button
              className="btn btn--primary"
              type="button"
              aria-disabled={!profile || undefined}
              onClick={() => profile && setEditing(true)}
            >
              Edit
            </button>
          </footer>
        </>
      )}
    </dialog>,
    document.body,
  )
}

/** The layout of what comes; shown only where it takes a while. */
function ProfileSkeleton({ rows }: { rows: number }) {
  return (
    <div className="profile profile--waiting" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => `row-${index}`).map((row) => (
        <div key={row} />
      ))}
    </div>
  )
}
