import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react'
import { CourseDialog } from '~/components/console/courses/course-dialog.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { courseFileKinds, courseFormId, courseFormInput } from '~/forms/courses.ts'
import { requireConsole, type SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { type MergedForm, sendMerged } from '~/http/merged-form.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { revisionIn, text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { problemsInWords } from '~/pages/checks.server.ts'
import { answerBuilder, type BuiltOutline, outlineFields, withOutline } from '~/pages/course-builder.server.ts'
import { courseFormValues, getCourseEditor, listCourseFormChoices, outlineOf } from '~/pages/course-editor.server.ts'
import { answerDraft, endDraft, offeredDraft } from '~/pages/form-drafts.server.ts'
import { plannedInWords } from '~/pages/schedule.server.ts'
import type { CourseState } from '~/services/courses/course-state.server.ts'
import { isCourseSaved, saveCourse } from '~/services/courses/save-course.server.ts'
import { Conflict, NotFound } from '~/services/errors.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Courses')

const removed =
  'Someone removed this course while you were editing it, so it could not be saved. What you typed is still here.'

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const uid = args.params.uid ?? ''
  const [editor, choices, draft, problems, planned] = await Promise.all([
    getCourseEditor(ctx, { courseUid: uid }).catch(throwAsPage),
    listCourseFormChoices(ctx),
    offeredDraft(ctx, { kind: 'course', uid }),
    problemsInWords(ctx, { kind: 'course', uid }).catch(throwAsPage),
    plannedInWords(ctx, { kind: 'course', itemUid: uid }),
  ])
  return {
    choices,
    draft,
    problems,
    planned,
    course: editor.view,
    defaults: courseFormValues(editor.state),
    outline: outlineOf(editor.state),
    modules: editor.modules,
    files: editor.files,
  }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const courseUid = args.params.uid ?? ''
  const place = `/dashboard/courses/${courseUid}/`
  const list = tableSearch(new URL(args.request.url).search)
  const work = async (form: FormData) => {
    const offered = await answerDraft(args, ctx, form)
    if (offered) return offered
    const built = await answerBuilder(args, ctx, form)
    if (built) return built
    const input = { ...courseFormInput(form), courseUid }
    // With JavaScript this intent is not posted. Without it, it must not ignore unsaved changes.
    if (text(form, 'intent') === 'publish') {
      if (!(await isCourseSaved(ctx, input))) {
        throw new Conflict('course.unsaved', 'Course needs to be saved before publishing')
      }
      return redirect(`${place}publish/${list}`)
    }
    try {
      const { keptOfOthers } = await saveCourse(ctx, { ...input, revision: revisionIn(form) })
      await endDraft(ctx, form)
      const kept = keptOfOthers.length > 0 ? ' Other changes that were made in the meantime were kept.' : ''
      return redirectWithNotice(args, place + list, { kind: 'success', text: `Course has been updated.${kept}` })
    } catch (error) {
      if (error instanceof NotFound) throw new NotFound(removed)
      if (!(error instanceof ChangedMeanwhile)) throw error
      const { exchange } = args.context
      return sendMerged({ ctx, exchange, form }, error, await mergedCourseForm(ctx, courseUid, error))
    }
  }
  return withOutline(ctx, await withForm(args, ctx, work, { files: courseFileKinds }))
}

/** Returns the stored value of each field in the form in which the dialog posts it. */
async function mergedCourseForm(ctx: SignedIn, courseUid: string, { now }: ChangedMeanwhile): Promise<MergedForm> {
  const state = now.state as CourseState
  const values: Record<string, string | string[]> = courseFormValues(state)
  const files: Record<string, { originalFileName: string; size: number } | null> = (
    await getCourseEditor(ctx, { courseUid })
  ).files
  return {
    formId: courseFormId(courseUid, now.revision),
    valuesOf: (field) =>
      field === 'sections'
        ? outlineFields(outlineOf(state))
        : {
            [field]: values[field] ?? [],
            // A file changes with its name and size.
            ...(field in files && {
              [`${field}-fileName`]: files[field]?.originalFileName ?? '',
              [`${field}-fileSize`]: String(files[field]?.size ?? ''),
            }),
          },
  }
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error updating course. Please try again later.')
}

export default function EditCourse() {
  const { course, choices, draft, problems, planned, defaults, outline, modules, files } =
    useLoaderData<typeof loader>()
  const built = useActionData<Partial<BuiltOutline> | null>()
  return (
    <CourseDialog
      uid={course.uid}
      choices={choices}
      defaults={defaults}
      files={files}
      outline={built?.outline ?? outline}
      modules={built?.modules ?? modules}
      picking={built?.picking}
      course={course}
      draft={draft}
      problems={problems}
      planned={planned}
    />
  )
}
