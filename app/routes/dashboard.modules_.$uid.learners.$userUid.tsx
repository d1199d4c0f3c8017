import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { LearnerAttempts } from '~/components/console/modules/learner-attempts.tsx'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { getLearnerAttempts } from '~/pages/learner-attempts.server.ts'

export const meta = pageTitle('Dashboard : Modules : Attempts')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { searchParams } = new URL(args.request.url)
  return getLearnerAttempts(ctx, {
    moduleUid: args.params.uid ?? '',
    userUid: args.params.userUid ?? '',
    registrationUid: searchParams.get('attempt'),
    before: searchParams.get('before'),
    language: args.request.headers.get('Accept-Language') ?? 'en',
  }).catch(throwAsPage)
}

export default function Attempts() {
  return (
    <>
      <UnderDialog>
        <LearnerAttempts {...useLoaderData<typeof loader>()} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
