import { Outlet } from '@remix-run/react'
import { FavouritesForm } from '~/components/favourites/save-button.tsx'
import { PageFrame } from '~/components/layout/page-frame.tsx'
import { useShell } from '~/components/layout/shell.ts'

export default function LearnerArea() {
  return (
    <PageFrame shell={useShell()}>
      <FavouritesForm />
      <Outlet />
    </PageFrame>
  )
}
