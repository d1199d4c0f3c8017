import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { useShell } from '~/components/layout/shell.ts'
import { PrivacyPolicy } from '~/components/public/privacy-policy.tsx'
import { env } from '~/config/env.server.ts'
import { recordStoreOf } from '~/config/forwarding.ts'
import { personalData } from '~/config/personal-data.ts'
import { contextFor } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'

export const meta = pageTitle('Privacy Policy', 'Which data are kept about learners, why, and for how long.')

export async function loader(args: LoaderFunctionArgs) {
  const { site } = await contextFor(args)
  return {
    kinds: personalData(env()).map(({ title, what, howLong }) => ({ title, what, howLong })),
    isForwarded: recordStoreOf(env(), site.key) !== null,
  }
}

export default function PrivacyPolicyPage() {
  return <PrivacyPolicy brand={useShell().brand} {...useLoaderData<typeof loader>()} />
}
