import type { LoaderFunctionArgs } from '@remix-run/node'
import { courseOfAddress } from '~/components/courses/course-address.ts'
import type { ViewerLaunch } from '~/components/viewer/launch.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { chooseText, headingsOf } from '~/lib/language.ts'
import { safeNext } from '~/lib/next-address.ts'
import { getLaunch } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { findOwnModulesProgress } from '~/services/progress/progress.server.ts'

/** Makes the viewer of a launch, for its page and for a window of its own. Only reads: the launch wrote everything. */
export async function viewerOf(ctx: Ctx, args: LoaderFunctionArgs): Promise<ViewerLaunch> {
  const { searchParams } = new URL(args.request.url)
  const from = safeNext(searchParams.get('from'))
  const courseUid = courseOfAddress(from)
  const launch = await getLaunch(ctx, {
    auLaunchSessionUid: args.params.uid ?? '',
    courseUid,
  }).catch(throwAsPage)
  const language = args.request.headers.get('Accept-Language') ?? 'en'
  const home = launch.isPreview ? '/dashboard/modules/' : `/modules/${launch.module.uid}/`
  const { surveyUrl } = ctx.site
  const isForOther = launch.staff?.learnerName != null
  const progress = surveyUrl ? await findOwnModulesProgress(ctx, { moduleUids: [launch.module.uid] }) : new Map()
  const headings = headingsOf(launch.units, language)
  const wantsWindow = searchParams.get('window') === 'own'
  return {
    from: from ?? home,
    survey: launch.isPreview || isForOther ? null : surveyUrl,
    isCompleted: Boolean(progress.get(launch.module.uid)?.completedAt),
    opening: launch.opening === 'frame' && wantsWindow ? 'window' : launch.opening,
    isInWindow: false,
    uid: launch.auLaunchSessionUid,
    module: launch.module,
    launchUrl: launch.launchUrl,
    fallbackUrl: launch.fallbackUrl,
    // A path on the same origin as this page, whatever the host name is. The frame goes there at the end, and that page
    // posts 'Exited'.
    exitPath: new URL(launch.returnUrl).pathname,
    isPreview: launch.isPreview || isForOther,
    staff: launch.staff && { ...launch.staff, label: staffLabel(launch.staff) },
    isFetched: launch.isFetched,
    isLeft: launch.status === 'terminated',
    percent: launch.registration.percent,
    nextModule: launch.nextModule,
    isFromCourse: courseUid !== null,
    units: launch.units.map(({ uid, title, percent, score, failedTest, isCurrent, isElsewhere }, index) => ({
      uid,
      title: chooseText(title, language),
      block: headings[index] ?? null,
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
