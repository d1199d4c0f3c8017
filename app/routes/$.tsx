import type { LoaderFunctionArgs } from '@remix-run/node'
import { redirect } from '@remix-run/node'

/** Legacy addresses that lead somewhere; every other address that no route knows is the 404 page, also signed out. */
const legacy: Record<string, (search: string) => string> = {
  'lms/m/module_link': (search) => `/module-link/${search}`,
}

export async function loader({ params, request }: LoaderFunctionArgs): Promise<Response> {
  const path = (params['*'] ?? '').replace(/\/$/, '')
  const target = legacy[path]
  if (target) return redirect(target(new URL(request.url).search))
  throw new Response(null, { status: 404, statusText: 'Not Found' })
}

export async function action(): Promise<never> {
  throw new Response(null, { status: 404, statusText: 'Not Found' })
}

export default function Lost() {
  return null
}
