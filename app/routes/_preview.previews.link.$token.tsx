import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { PreviewPage } from '~/components/previews/preview-page.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { rememberPreview } from '~/http/preview-cookie.server.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { previewPageOf } from '~/pages/previews.server.ts'
import { openPreviewLink } from '~/services/previews/previews.server.ts'

export const meta = pageTitle('Preview')

/** For anybody of the site who is signed in and has the link. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const { token = '' } = args.params
  const preview = await openPreviewLink(ctx, { token }).catch(throwAsPage)
  rememberPreview(args.context.exchange, token)
  return previewPageOf(ctx, preview)
}

export default function PreviewOfLink() {
  return <PreviewPage {...useLoaderData<typeof loader>()} />
}
