import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { LaunchError } from '~/components/viewer/launch-error.tsx'
import { Viewer } from '~/components/viewer/viewer.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { titleFrom } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { safeNext } from '~/lib/next-address.ts'
import { viewerOf } from '~/pages/viewer.server.ts'
import { getLaunch } from '~/services/cmi5/cmi5.server.ts'
import { Conflict } from '~/services/errors.ts'

export const meta: MetaFunction<typeof loader> = ({ matches, data }) =>
  titleFrom(matches, data?.module.name ?? 'Module')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args, { isGated: false })
  return viewerOf(ctx, args)
}

/** Redirects the new window of a unit to its page. A form opens that window, because no browser blocks forms. */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireLearner(args)
  return withForm(args, ctx, async (form) => {
    const { auLaunchSessionUid, launchUrl } = await getLaunch(ctx, { auLaunchSessionUid: args.params.uid ?? '' })
    if (!launchUrl) throw new Conflict('launch.ended', 'The session for this launched module has ended.')
    const from = safeNext(text(form, 'from'))
    return redirect(`/viewer/${auLaunchSessionUid}/window/?${new URLSearchParams(from ? { from } : {})}`)
  })
}

export default function ViewerPage() {
  const launch = useLoaderData<typeof loader>()
  const refusal = useActionData<typeof action>()
  if (refusal) return <LaunchError message={refusal.message} from={launch.from} />
  // Each session gets its own viewer, also when one session follows another on the same page.
  return <Viewer key={launch.uid} launch={launch} />
}
