import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { Problems } from '~/components/console/checks/problems.tsx'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { ScheduleLink } from '~/components/console/schedule/schedule-dialog.tsx'
import { CheckboxField } from '~/components/ui/fields.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { problemsInWords } from '~/pages/checks.server.ts'
import { inProgressInWords } from '~/pages/consequences.server.ts'
import { getCourseView } from '~/pages/course-editor.server.ts'
import { publishCourse } from '~/services/courses/publish-course.server.ts'
import { countConsequencesOfCourse } from '~/services/read/consequences.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Courses')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { course, view } = await getCourseView(ctx, { courseUid: args.params.uid ?? '' }).catch(throwAsPage)
  // An earlier version can be unpublished while the latest one is still a draft.
  const isAskedToUnpublish = new URL(args.request.url).searchParams.get('intent') === 'unpublish'
  const [consequences, problems] = await Promise.all([
    countConsequencesOfCourse(ctx, { courseUid: course.uid }),
    problemsInWords(ctx, { kind: 'course', uid: course.uid }),
  ])
  return {
    ...view,
    isPublished: view.status === 'published' || (isAskedToUnpublish && view.live !== null),
    name: course.name,
    addToHomepage: course.addToHomepage,
    people: inProgressInWords(consequences, 'course'),
    problems,
  }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const courseUid = args.params.uid ?? ''
  return withForm(args, ctx, async (form) => {
    // The button names the action, so that an outdated page does not do the opposite.
    const publish = text(form, 'intent') !== 'unpublish'
    const to = { publish, ...(publish && { addToHomepage: form.has('addToHomepage') }) }
    const { name } = await publishCourse(ctx, { ...to, courseUid })
    // The dialog of the course stays open and shows the new status.
    return redirectWithNotice(
      args,
      `/dashboard/courses/${courseUid}/${tableSearch(new URL(args.request.url).search)}`,
      {
        kind: 'success',
        text: `Course "${name}" has been ${publish ? 'published' : 'unpublished'}.`,
      },
    )
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error publishing course. Please try again later.')
}

export default function PublishCourse() {
  const { uid, name, isPublished, live, latest, people, problems, addToHomepage } = useLoaderData<typeof loader>()
  return (
    <ConfirmRoute
      title={isPublished ? 'Unpublish Course' : 'Publish Course'}
      question={
        <>
          <p className="dlg-question">Do you want to {isPublished ? 'unpublish' : 'publish'} this course?</p>
          <p className="muted">{name}</p>
          {people && (
            <p className="notice">
              {people}.{' '}
              {isPublished
                ? 'They cannot open it until it is published again. What they did in its modules is kept.'
                : live && `They continue with ${latest}. What they completed stays completed.`}
            </p>
          )}
          {!isPublished && <Problems problems={problems} />}
          {!isPublished && (
            <CheckboxField name="addToHomepage" label="Add to homepage" defaultChecked={addToHomepage} />
          )}
          <ScheduleLink kind="course" uid={uid} isPublished={isPublished} />
        </>
      }
      actionLabel={isPublished ? 'Unpublish' : 'Publish'}
      tone={isPublished ? 'danger' : 'primary'}
      intent={isPublished ? 'unpublish' : 'publish'}
      closeTo={`/dashboard/courses/${uid}/`}
    />
  )
}
