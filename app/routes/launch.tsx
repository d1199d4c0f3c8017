import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { useActionData } from '@remix-run/react'
import { courseOfAddress } from '~/components/courses/course-address.ts'
import { LaunchError } from '~/components/viewer/launch-error.tsx'
import { contextFor, requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withButton } from '~/http/respond.server.ts'
import { loginAddress, safeNext } from '~/lib/next-address.ts'
import { isUid } from '~/lib/uid.ts'
import { findCoursePage } from '~/pages/courses.server.ts'
import { launchUnit } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict, NotFound } from '~/services/errors.ts'

export const meta = pageTitle('Module')

/** Loads nothing: the page only shows refusals. The guard sends visitors to sign in first. */
export async function loader(args: LoaderFunctionArgs) {
  await requireLearner(args, { isGated: false })
  return null
}

export async function action(args: ActionFunctionArgs) {
  if (!(await contextFor(args)).viewer) await openAfterLogin(args)
  const ctx = await requireLearner(args)
  return withButton(args, ctx, async (form) => {
    const courseUid = text(form, 'course')
    if (courseUid) return continueCourse(ctx, courseUid)
    const intent = text(form, 'intent')
    // In a list, the pressed button sends the version as the value of its intent.
    const [retake, preview] = [text(form, 'retake'), text(form, 'preview')]
    const from = safeNext(text(form, 'from'))
    const continuesUid = text(form, 'continues') || null
    const { auLaunchSessionUid } = await launchUnit(ctx, {
      moduleVersionUid: retake || preview || text(form, 'moduleVersionUid'),
      unitUid: text(form, 'unitUid') || null,
      unitIndex: intent === 'restart' ? 0 : null,
      retake: retake !== '' || intent === 'retake',
      preview: preview !== '' || intent === 'preview',
      registrationUid: text(form, 'attempt') || null,
      mode: text(form, 'mode'),
      courseUid: courseOfAddress(from),
      continuesUid,
    }).catch((error) => {
      // The page that wanted to continue asks instead.
      if (isUid(continuesUid) && error instanceof Conflict && error.code === 'launch.not_continued')
        throw redirect(viewerAddress(continuesUid, form))
      throw error
    })
    if (continuesUid) return redirect(viewerAddress(auLaunchSessionUid, form))
    const isOwnWindow = text(form, 'window') === 'own'
    const query = new URLSearchParams({ ...(from && { from }), ...(isOwnWindow && { window: 'own' }) })
    return redirect(`/viewer/${auLaunchSessionUid}/?${query}${isOwnWindow ? '#mobile-test' : ''}`)
  })
}

/** The viewer of a launch, or the window of ours that a unit is in. */
function viewerAddress(launchUid: string, form: FormData): string {
  const from = safeNext(text(form, 'from'))
  const place = text(form, 'window') === 'same' ? 'window/' : ''
  return `/viewer/${launchUid}/${place}?${new URLSearchParams(from ? { from } : {})}`
}

/** If the session has ended, the module opens after signing in again. */
async function openAfterLogin({ request }: ActionFunctionArgs): Promise<void> {
  const form = await request
    .clone()
    .formData()
    .catch(() => new FormData())
  const versionUid = text(form, 'moduleVersionUid') || text(form, 'retake')
  if (isUid(versionUid)) {
    throw redirect(loginAddress({ pathname: '/modules/', search: `?launch=${versionUid}` }, { isEnded: true }))
  }
}

/** Finds the viewer's place in a course when the button is pressed, not for each course of a list. */
async function continueCourse(ctx: Ctx, courseUid: string) {
  const course = isUid(courseUid) ? await findCoursePage(ctx, { courseUid }) : null
  if (!course) throw new NotFound('This course is not available.')
  const { nextVersionUid: moduleVersionUid } = course
  const from = `/courses/${courseUid}/`
  if (!moduleVersionUid) return redirect(from)
  const { auLaunchSessionUid } = await launchUnit(ctx, { moduleVersionUid, courseUid })
  return redirect(`/viewer/${auLaunchSessionUid}/?${new URLSearchParams({ from })}`)
}

/** Shown only if the launch was refused; then nothing was opened. */
export default function Launch() {
  const refusal = useActionData<typeof action>()
  if (!refusal) return <LaunchError message="No module was chosen." from={null} />
  return <LaunchError message={refusal.message} from={safeNext(refusal.values.from)} />
}
