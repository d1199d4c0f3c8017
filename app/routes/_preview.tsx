import { Outlet } from '@remix-run/react'
import { PageFrame } from '~/components/layout/page-frame.tsx'
import { useShell } from '~/components/layout/shell.ts'

/** Previews have the frame of learners' pages, but are for staff and for colleagues who were sent a link. */
export default function Previews() {
  return (
    <PageFrame shell={useShell()}>
      <Outlet />
    </PageFrame>
  )
}
