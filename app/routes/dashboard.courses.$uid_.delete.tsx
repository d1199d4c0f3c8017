import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmDelete } from '~/components/console/confirm-delete.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { confirmDeleteForm } from '~/forms/confirm.ts'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { answerRemoval } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { consequencesInWords } from '~/pages/course-editor.server.ts'
import { lostPlansInWords } from '~/pages/schedule.server.ts'
import { getCourse } from '~/services/courses/courses.server.ts'
import { deleteCourse } from '~/services/courses/publish-course.server.ts'
import { parseInput } from '~/services/input.ts'
import { countConsequencesOfCourse } from '~/services/read/consequences.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Courses')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { uid, name } = await getCourse(ctx, { courseUid: args.params.uid ?? '' }).catch(throwAsPage)
  const [consequences, plans] = await Promise.all([
    countConsequencesOfCourse(ctx, { courseUid: uid }),
    lostPlansInWords(ctx, { kind: 'course', itemUid: uid }),
  ])
  return { name, warnings: [...plans, ...consequencesInWords(consequences)] }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const courseUid = args.params.uid ?? ''
  const list = tableSearch(new URL(args.request.url).search)
  const answer = await withForm(args, ctx, async (form) => {
    parseInput(confirmDeleteForm, Object.fromEntries(form))
    const { name } = await deleteCourse(ctx, { courseUid })
    return redirectWithNotice(args, `/dashboard/courses/${list}`, {
      kind: 'info',
      text: `Course "${name}" has been deleted`,
      undo: { action: `/dashboard/courses/${courseUid}/restore/${list}`, label: 'Undo' },
    })
  })
  return answerRemoval(args, `/dashboard/courses/${list}`, answer)
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error deleting course. Please try again later.')
}

export default function DeleteCourse() {
  const { name, warnings } = useLoaderData<typeof loader>()
  return (
    <ConfirmDelete
      title={`Remove ${name}`}
      question="Are you sure you want to remove this course?"
      warnings={warnings}
      closeTo="/dashboard/courses/"
    />
  )
}
