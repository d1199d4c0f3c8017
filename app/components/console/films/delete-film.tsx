import type { FilmKindName } from '~/forms/films.ts'
import { ConfirmDelete } from '../confirm-delete.tsx'
import { filmKinds } from './kinds.ts'

type Props = { kind: FilmKindName; name: string; warnings: string[] }

/** Asks before a lecture or video is removed. */
export function DeleteFilm({ kind, name, warnings }: Props) {
  const { noun, path } = filmKinds[kind]
  return (
    <ConfirmDelete
      title={`Remove ${name}`}
      question={`Are you sure you want to delete the selected ${noun}?`}
      warnings={warnings}
      closeTo={path}
      fields={{ name }}
    />
  )
}
