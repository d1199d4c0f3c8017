import { Link, useFetcher } from '@remix-run/react'
import { type MouseEvent, type SyntheticEvent, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { notify } from '~/browser/notices.ts'
import { Icon } from '../ui/icon.tsx'
import { isFormChanged, LeaveQuestion } from '../ui/leave-guard.tsx'
import { useModal } from '../ui/modal.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { type Profile, ProfileEdit, ProfileView, profileAddress } from './profile-panel.tsx'

type Props = { csrf: string | null; isAdmin: boolean; onClose: () => void; onChangePassword: () => void }

/** Shows the profile in a dialog over the current page. */
export function ProfileDialog({ csrf, isAdmin, onClose, onChangePassword }: Props) {
  const ref = useModal()
  const fetcher = useFetcher<Profile>()
  const [isEditing, setEditing] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const edit = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  const { load, data: profile } = fetcher
  useEffect(() => {
    heading.current?.focus()
    load(profileAddress)
  }, [load])
  useEffect(() => {
    if (wasEditing.current && !isEditing) edit.current?.focus()
    wasEditing.current = isEditing
  }, [isEditing])
  const askFirst = (event: SyntheticEvent) => {
    if (!isFormChanged(ref.current?.querySelector('form') ?? null)) return
    event.preventDefault()
    setAsking(true)
  }
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
    <dialog
      ref={ref}
      className="dlg dlg--account dlg--profile"
      aria-labelledby="profile-title"
      onCancel={askFirst}
      onClose={onClose}
    >
      <header>
        <h2 id="profile-title" ref={heading} tabIndex={-1}>
          {isAdmin ? 'Admin Profile' : 'Learner Profile'}
        </h2>
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
            {profile ? <ProfileView profile={profile} /> : <Skeleton className="profile" rows={isAdmin ? 3 : 8} />}
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
              ref={edit}
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
      {isAsking && <LeaveQuestion onStay={() => setAsking(false)} onLeave={close} />}
    </dialog>,
    document.body,
  )
}
