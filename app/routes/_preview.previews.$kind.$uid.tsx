import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { PreviewPage } from '~/components/previews/preview-page.tsx'
import { previewedKinds } from '~/forms/previews.ts'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { notFoundPage, throwAsPage } from '~/http/respond.server.ts'
import { previewPageOf } from '~/pages/previews.server.ts'
import { getPreview } from '~/services/previews/previews.server.ts'

export const meta = pageTitle('Preview')

/** For staff: `/previews/courses/{uid}/?plan={uid}`. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const kind = previewedKinds.find((one) => `${one}s` === args.params.kind)
  if (!kind) throw notFoundPage()
  const planUid = new URL(args.request.url).searchParams.get('plan') ?? ''
  const preview = await getPreview(ctx, { kind, itemUid: args.params.uid ?? '', planUid }).catch(throwAsPage)
  return previewPageOf(ctx, preview)
}

export default function Preview() {
  return <PreviewPage {...useLoaderData<typeof loader>()} />
}
