import type { FilmKindName } from '~/forms/films.ts'
import { ConfirmRoute } from '../confirm-route.tsx'
import { ScheduleLink } from '../schedule/schedule-dialog.tsx'
import { filmKinds } from './kinds.ts'

type Props = {
  kind: FilmKindName
  uid: string
  name: string
  isPublished: boolean
  people: string | null
  missing: string | null
}

/** Asks before a lecture or video is published or unpublished. */
export function PublishFilm({ kind, uid, name, isPublished, people, missing }: Props) {
  const { noun, title, path } = filmKinds[kind]
  const verb = isPublished ? 'Unpublish' : 'Publish'
  return (
    <ConfirmRoute
      title={`${verb} ${title}`}
      question={
        <>
          <p className="dlg-question">
            Do you want to {verb.toLowerCase()} this {noun}?
          </p>
          <p className="muted">{name}</p>
          {isPublished && people && (
            <p className="notice">{people}. They cannot open it until it is published again. Their progress is kept.</p>
          )}
          {!isPublished && missing && <p className="notice notice--warning">{missing}</p>}
          <ScheduleLink kind={kind} uid={uid} isPublished={isPublished} />
        </>
      }
      actionLabel={verb}
      tone={isPublished ? 'danger' : 'primary'}
      intent={verb.toLowerCase()}
      closeTo={`${path}${uid}/`}
    />
  )
}
