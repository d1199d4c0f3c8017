import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { courseOfAddress } from '~/components/courses/course-address.ts'
import { LaunchError } from '~/components/viewer/launch-error.tsx'
import { Viewer } from '~/components/viewer/viewer.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { titleFrom } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { chooseText } from '~/lib/language.ts'
import { safeNext } from '~/lib/next-address.ts'
import { getLaunch } from '~/services/cmi5/cmi5.server.ts'
import { Conflict } from '~/services/errors.ts'
import { findOwnModulesProgress } from '~/services/progress/progress.server.ts'

export const meta: MetaFunction<typeof loader> = ({ matches, data }) =>
  titleFrom(matches, data?.module.name ?? 'Module')

/** Only reads: the post that launched the unit has already written everything. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args, { isGated: false })
  const { searchParams } = new URL(args.request.url)
  const from = safeNext(searchParams.get('from'))
  const launch = await getLaunch(ctx, {
    auLaunchSessionUid: args.params.uid ?? '',
    courseUid: courseOfAddress(from),
  }).catch(throwAsPage)
  const language = args.request.headers.get('Accept-Language') ?? 'en'
  const home = launch.isPreview ? '/dashboard/modules/' : `/modules/${launch.module.uid}/`
  const { surveyUrl } = ctx.site
  const isForOther = launch.staff?.learnerName != null
  const progress = surveyUrl ? await findOwnModulesProgress(ctx, { moduleUids: [launch.module.uid] }) : new Map()
  return {
    from: from ?? home,
    survey: launch.isPreview || isForOther ? null : surveyUrl,
    isCompleted: Boolean(progress.get(launch.module.uid)?.completedAt),
    opensOwnWindow: launch.needsOwnWindow || searchParams.get('window') === 'own',
    uid: launch.auLaunchSessionUid,
    module: launch.module,
    launchUrl: launch.launchUrl,
    // A path on the same origin as this page, whatever the host name is. The frame goes there at the end, and that page
    // posts 'Exited'.
    exitPath: new URL(launch.returnUrl).pathname,
    isPreview: launch.isPreview || isForOther,
    staff: launch.staff && { ...launch.staff, label: staffLabel(launch.staff) },
    isFetched: launch.isFetched,
    percent: launch.registration.percent,
    nextModule: launch.nextModule,
    units: launch.units.map(({ uid, title, percent, score, failedTest, isCurrent, isElsewhere }) => ({
      uid,
      title: chooseText(title, language),
      percent,
      score,
      failedTest,
      isCurrent,
      isElsewhere,
    })),
  }
}

/** Names the launch mode and the learner: "Review, attempt of Ada Okafor". */
function staffLabel({ mode, learnerName }: { mode: string; learnerName: string | null }): string {
  return learnerName === null ? mode : `${mode}, attempt of ${learnerName}`
}

/**
 * Redirects the window of an OwnWindow unit to the content. A form opens that window, because no browser blocks forms.
 */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireLearner(args)
  return withForm(args, ctx, async () => {
    const { launchUrl } = await getLaunch(ctx, { auLaunchSessionUid: args.params.uid ?? '' })
    if (!launchUrl) throw new Conflict('launch.ended', 'The session for this launched module has ended.')
    return redirect(launchUrl)
  })
}

export default function ViewerPage() {
  const launch = useLoaderData<typeof loader>()
  const refusal = useActionData<typeof action>()
  if (refusal) return <LaunchError message={refusal.message} from={launch.from} />
  // Each session gets its own viewer, also when one session follows another on the same page.
  return <Viewer key={launch.uid} launch={launch} />
}
