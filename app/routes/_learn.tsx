import { Outlet } from '@remix-run/react'
import { FavoritesForm } from '~/components/favorites/save-button.tsx'
import { AccessEndedNote } from '~/components/layout/access-ended.tsx'
import { PageFrame } from '~/components/layout/page-frame.tsx'
import { useShell } from '~/components/layout/shell.ts'

export default function LearnerArea() {
  const shell = useShell()
  return (
    <PageFrame shell={shell}>
      <AccessEndedNote shell={shell} />
      <FavoritesForm />
      <Outlet />
    </PageFrame>
  )
}
