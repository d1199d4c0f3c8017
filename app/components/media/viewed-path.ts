import { isUid } from '~/lib/uid.ts'

/**
 * Returns a path for page views, with only our own names and uids. Everything else is replaced, because links in mails
 * contain secrets that open an account.
 */
export function viewedPath(pathname: string): string {
  const [first = ''] = pathname.split('/').filter(Boolean)
  if (['reset-password', 'confirm-invitation'].includes(first)) return `/${first}/`
  return pathname
    .split('/')
    .map((segment) => (segment === '' || isUid(segment) || /^[a-z][a-z-]{0,39}$/.test(segment) ? segment : ':id'))
    .join('/')
    .slice(0, 300)
}
