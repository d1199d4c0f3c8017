import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type MetaFunction, useLoaderData } from '@remix-run/react'
import { Viewer } from '~/components/viewer/viewer.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { titleFrom } from '~/http/meta.ts'
import { viewerOf } from '~/pages/viewer.server.ts'

export const meta: MetaFunction<typeof loader> = ({ matches, data }) =>
  titleFrom(matches, data?.module.name ?? 'Module')

/** A unit in its own window: the same frame as in the viewer, so that content can move neither window. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args, { isGated: false })
  const launch = await viewerOf(ctx, args)
  if (launch.opening === 'alone') throw redirect(`/viewer/${launch.uid}/`)
  return { ...launch, opening: 'frame' as const, isInWindow: true }
}

export default function ViewerWindow() {
  const launch = useLoaderData<typeof loader>()
  return <Viewer key={launch.uid} launch={launch} />
}
