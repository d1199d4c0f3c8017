import type { LoaderFunctionArgs } from '@remix-run/node'
import { replace } from '@remix-run/node'

/** Addresses of the earlier site. Addresses below one of these redirect with it. */
const old: Record<string, string> = {
  'self-guided-learning': '/modules/',
  'directed-learning': '/home/',
  'video-library': '/videos/',
  course: '/home/',
  'privacy-policy': '/privacy-policy/',
  terms: '/terms/',
  faqs: '/faq/',
  'about-us': '/about-us/',
  'contact-us': '/contact-us/',
}

/** Redirects legacy addresses. Every other address without a route is the 404 page, also for signed-out visitors. */
export async function loader({ params, request }: LoaderFunctionArgs): Promise<Response> {
  const path = (params['*'] ?? '').replace(/\/$/, '')
  if (path === 'lms/m/module_link') return replace(`/module-link/${new URL(request.url).search}`)
  const [first, name = ''] = path.split('/')
  const target = first === 'old' && Object.hasOwn(old, name) ? old[name] : undefined
  if (target) return replace(target)
  throw new Response(null, { status: 404, statusText: 'Not Found' })
}

export async function action(): Promise<never> {
  throw new Response(null, { status: 404, statusText: 'Not Found' })
}

export default function Lost() {
  return null
}
