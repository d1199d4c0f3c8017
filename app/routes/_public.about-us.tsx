import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { useShell } from '~/components/layout/shell.ts'
import { AboutUs } from '~/components/public/about-us.tsx'
import { aboutTexts } from '~/config/static-texts.ts'
import { contextFor } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'

export const meta = pageTitle('About Us', 'Why this platform exists, who writes for it, and who learns here.')

export async function loader(args: LoaderFunctionArgs) {
  const { site } = await contextFor(args)
  return { text: aboutTexts[site.key] }
}

export default function AboutUsPage() {
  return <AboutUs brand={useShell().brand} {...useLoaderData<typeof loader>()} />
}
