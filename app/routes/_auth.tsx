import { Outlet } from '@remix-run/react'
import { AuthFrame } from '~/components/layout/auth-frame.tsx'
import { useShell } from '~/components/layout/shell.ts'

export default function AuthPages() {
  return (
    <AuthFrame shell={useShell()}>
      <Outlet />
    </AuthFrame>
  )
}
