import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react'
import { CourseDialog } from '~/components/console/courses/course-dialog.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import type { SentFile } from '~/components/console/send-file.ts'
import { courseFileKinds, courseFormId, courseFormInput } from '~/forms/courses.ts'
import { requireConsole, type SignedIn } from '~/http/context.server.ts'
import type { MergedForm } from '~/http/merged-form.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { revisionIn, text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { problemsInWords } from '~/pages/checks.server.ts'
import { answerSave, fileInputs, listFormChoices } from '~/pages/content-forms.server.ts'
import { answerBuilder, type BuiltOutline, outlineFields, withOutline } from '~/pages/course-builder.server.ts'
import { courseFormValues, getCourseEditor, outlineOf, readCourseFiles } from '~/pages/course-editor.server.ts'
import { answerDraft, offeredDraft } from '~/pages/form-drafts.server.ts'
import { plannedInWords } from '~/pages/schedule.server.ts'
import type { CourseState } from '~/services/courses/course-state.server.ts'
import { isCourseSaved, saveCourse } from '~/services/courses/save-course.server.ts'
import { Conflict } from '~/services/errors.ts'
import type { ChangedMeanwhile } from '~/services/revisions.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Courses')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const uid = args.params.uid ?? ''
  const [editor, choices, draft, problems, planned] = await Promise.all([
    getCourseEditor(ctx, { courseUid: uid }).catch(throwAsPage),
    listFormChoices(ctx),
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
    return answerSave(args, ctx, form, {
      noun: 'course',
      place,
      notice: () => 'Course has been updated.',
      save: () => saveCourse(ctx, { ...input, revision: revisionIn(form) }),
      merged: (changed) => mergedCourseForm(ctx, courseUid, changed),
    })
  }
  return withOutline(ctx, await withForm(args, ctx, work, { files: courseFileKinds }))
}

/** Returns the stored value of each field in the form in which the dialog posts it. */
async function mergedCourseForm(ctx: SignedIn, courseUid: string, { now }: ChangedMeanwhile): Promise<MergedForm> {
  const state = now.state as CourseState
  const values: Record<string, string | string[]> = courseFormValues(state)
  const files: Record<string, SentFile | null> = await readCourseFiles(ctx, courseUid.toLowerCase())
  return {
    formId: courseFormId(courseUid, now.revision),
    valuesOf: (field) => {
      if (field === 'sections') return outlineFields(outlineOf(state))
      return field in files ? fileInputs(field, files[field] ?? null) : { [field]: values[field] ?? [] }
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
