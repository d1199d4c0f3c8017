import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { WhyDialog } from '~/components/console/audiences/audience-people.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { getWhy } from '~/pages/audiences.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Audiences')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'audiences')
  const { uid = '', userUid = '' } = args.params
  return getWhy(ctx, { audienceUid: uid, userUid }).catch(throwAsPage)
}

export default function Why() {
  return <WhyDialog {...useLoaderData<typeof loader>()} />
}
