import { randomUUID } from 'node:crypto'
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react'
import { CourseDialog } from '~/components/console/courses/course-dialog.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { courseFileKinds, courseFormInput } from '~/forms/courses.ts'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { listFormChoices } from '~/pages/content-forms.server.ts'
import { answerBuilder, type BuiltOutline, withOutline } from '~/pages/course-builder.server.ts'
import { answerDraft, endDraft, offeredDraft } from '~/pages/form-drafts.server.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { Conflict } from '~/services/errors.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Courses')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const [choices, draft] = await Promise.all([listFormChoices(ctx), offeredDraft(ctx, { kind: 'course' })])
  return { uid: randomUUID(), choices, draft }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const answer = await withForm(
    args,
    ctx,
    async (form) => {
      const offered = await answerDraft(args, ctx, form)
      if (offered) return offered
      const built = await answerBuilder(args, ctx, form)
      if (built) return built
      // This button reaches the server only without JavaScript.
      if (text(form, 'intent') === 'publish') {
        throw new Conflict('course.unsaved', 'Course needs to be saved before publishing')
      }
      // With the uid of the page, a form that is sent twice creates one course.
      const { uid, name } = await createCourse(ctx, { ...courseFormInput(form), uid: text(form, 'uid') })
      await endDraft(ctx, form)
      const to = `/dashboard/courses/${uid}/${tableSearch(new URL(args.request.url).search)}`
      const notice = { kind: 'success', text: `Course "${name}" has been created.` } as const
      // Replaces the form in the history; otherwise Back would open an empty form.
      return redirectWithNotice(args, to, notice, { isReplacing: true })
    },
    { files: courseFileKinds },
  )
  return withOutline(ctx, answer)
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving course. Please try again later.')
}

export default function CreateCourse() {
  const { uid, choices, draft } = useLoaderData<typeof loader>()
  const built = useActionData<Partial<BuiltOutline> | null>()
  return (
    <CourseDialog
      uid={uid}
      choices={choices}
      defaults={{ showsTerms: 'on', accessPlanUids: [] }}
      files={{ coverImg: null, bannerImg: null }}
      outline={built?.outline ?? []}
      modules={built?.modules ?? {}}
      picking={built?.picking}
      course={null}
      draft={draft}
    />
  )
}
