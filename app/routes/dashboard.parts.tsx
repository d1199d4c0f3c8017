import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet } from '@remix-run/react'
import { pageTitle } from '~/http/meta.ts'
import { requireParts } from '~/pages/parts.server.ts'

export const meta = pageTitle('Dashboard : Parts')

export async function loader(args: LoaderFunctionArgs) {
  await requireParts(args)
  return null
}

export default function Parts() {
  return <Outlet />
}
