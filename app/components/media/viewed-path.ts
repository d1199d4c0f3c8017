import { isUid } from '~/lib/uid.ts'

/** A path as page views keep it: names of ours and uids of content. What else stands in one may open an account (links of mails). */
export function viewedPath(pathname: string): string {
  const [first = ''] = pathname.split('/').filter(Boolean)
  if (['reset-password', 'confirm-invitation'].includes(first)) return `/${first}/`
  return pathname
    .split('/')
    .map((segment) => (segment === '' || isUid(segment) || /^[a-z][a-z-]{0,39}$/.test(segment) ? segment : ':id'))
    .join('/')
    .slice(0, 300)
}
