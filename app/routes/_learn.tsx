import { Outlet } from '@remix-run/react'
import { FavoritesForm } from '~/components/favorites/save-button.tsx'
import { PageFrame } from '~/components/layout/page-frame.tsx'
import { useShell } from '~/components/layout/shell.ts'

export default function LearnerArea() {
  return (
    <PageFrame shell={useShell()}>
      <FavoritesForm />
      <Outlet />
    </PageFrame>
  )
}
