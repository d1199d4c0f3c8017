import type { LoaderFunctionArgs } from '@remix-run/node'
import { replace } from '@remix-run/node'

/** Addresses of the past. What lies deeper follows its first part. */
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

/** Legacy addresses lead somewhere; every other address that no route knows is the 404 page, also signed out. */
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
