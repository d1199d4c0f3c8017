import { Link, useLocation } from '@remix-run/react'
import { tableSearch } from '~/lib/table-query.ts'

type Props = {
  /** The dialog that asks before publishing: `/dashboard/courses/{uid}/publish/`. */
  to: string
  /** The version that learners get while a newer one is a draft: v1. */
  live: string
}

/** Leads to the question before an earlier version is unpublished. PUBLISH in the footer is about the latest one. */
export function UnpublishLink({ to, live }: Props) {
  const params = new URLSearchParams(tableSearch(useLocation().search))
  params.set('intent', 'unpublish')
  return (
    <Link to={`${to}?${params}`} preventScrollReset>
      Unpublish {live}
    </Link>
  )
}
