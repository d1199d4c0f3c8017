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

/** Only reads: the launch was a post, and it wrote. */
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
    // Of the same origin as this page, whatever name the installation has: the frame is sent there, and it says 'Exited'.
    exitPath: new URL(launch.returnUrl).pathname,
    isPreview: launch.isPreview || isForOther,
    staff: launch.staff && { ...launch.staff, label: staffLabel(launch.staff) },
    isFetched: launch.isFetched,
    percent: launch.registration.percent,
    nextModule: launch.nextModule,
    units: launch.units.map(({ uid, title, percent, isPassOpen, isCurrent, isElsewhere }) => ({
      uid,
      title: chooseText(title, language),
      percent,
      isPassOpen,
      isCurrent,
      isElsewhere,
    })),
  }
}

/** Whose attempt it is and how it is looked at: "Review, attempt of Ada Okafor". */
function staffLabel({ mode, learnerName }: { mode: string; learnerName: string | null }): string {
  return learnerName === null ? mode : `${mode}, attempt of ${learnerName}`
}

/** The window of an OwnWindow unit is opened by a form, which no browser blocks; this sends it on to the content. */
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
  // Another session is another viewing, also when one follows the other without leaving the page.
  return <Viewer key={launch.uid} launch={launch} />
}
