import { useLocation, useNavigate } from '@remix-run/react'
import { type MouseEvent, useState } from 'react'
import { notify } from '~/browser/notices.ts'
import type { Outline } from '~/forms/course-outline.ts'
import { courseDialogForm, courseFormId, courseLimits } from '~/forms/courses.ts'
import { showsTermsHint, showsTermsLabel } from '~/forms/terms.ts'
import { withOrWithout } from '~/lib/sets.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { MultiSelect } from '../../ui/choice-fields.tsx'
import { CheckboxField, NumberField, TextField } from '../../ui/fields.tsx'
import { useHydrated } from '../../ui/form.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { ProblemsLine } from '../checks/problems.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import type { DraftOfForm } from '../drafts/form-draft.tsx'
import { FormFileField } from '../form-file-field.tsx'
import { FormTabs } from '../form-tabs.tsx'
import { HistoryLink } from '../history/history-link.tsx'
import { PreviewLink } from '../previews/preview-dialog.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { PlannedLine } from '../schedule/schedule-dialog.tsx'
import { StatusChip } from '../status-chip.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { TagPicker } from '../tag-picker.tsx'
import { UnpublishLink } from '../unpublish-link.tsx'
import { hasUnsavedChanges } from '../unsaved-guard.tsx'
import { CourseBuilder } from './course-builder.tsx'
import type { BuilderModule, CourseChoices, CourseFiles, PickingModules, SavedCourseView } from './view.ts'

type Props = {
  choices: CourseChoices
  defaults: Record<string, unknown>
  files: CourseFiles
  outline: Outline
  modules: Record<string, BuilderModule>
  picking?: PickingModules | null
  /** Null while the course is being created; `uid` is then the uid that it will get. */
  course: SavedCourseView | null
  uid: string
  draft: DraftOfForm['offered']
  problems?: string[]
  planned?: string[]
}

const closeTo = '/dashboard/courses/'

/** The last open tab of each course, by uid. Only the browser writes it. */
const lastTabs = new Map<string, string>()

/** The dialog of a course: one form in two tabs, with the button that publishes the saved course. */
export function CourseDialog({
  choices,
  defaults,
  files,
  outline,
  modules,
  picking,
  course,
  uid: given,
  draft,
  problems = [],
  planned = [],
}: Props) {
  const refusal = useRefusal()
  const isHydrated = useHydrated()
  const [tabFooter, setTabFooter] = useState<HTMLElement | null>(null)
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set())
  const onBusyChange = (field: string) => (isBusy: boolean) => setBusy((before) => withOrWithout(before, field, isBusy))
  // When another person has saved changes, the form is created again with those changes.
  const revision = refusal?.values.revision ?? String(course?.revision ?? 0)
  // A new course that is restored from a draft has the uid of the draft.
  const uid = refusal?.values.uid || given
  const formId = refusal?.formId ?? courseFormId(course ? uid : 'new', revision)
  return (
    <RouteDialog
      title={course ? 'Edit Course' : 'Create Course'}
      size="xl"
      isForm
      closeTo={closeTo}
      status={<StatusChip status={course?.status ?? 'draft'} />}
      footer={
        <>
          <CloseLink closeTo={closeTo} />
          {course && <HistoryLink to={`${closeTo}${uid}/history/`} />}
          {course && <PreviewLink to={`${closeTo}${uid}/preview/`} />}
          <span ref={setTabFooter} />
          <Actions formId={formId} course={course} isUploading={busy.size > 0} />
        </>
      }
    >
      <ConsoleForm
        key={formId}
        id={formId}
        schema={courseDialogForm}
        defaults={defaults}
        draft={{ kind: 'course', uid, isNew: !course, offered: draft }}
        guard={{ noun: 'course', mode: course ? 'editing' : 'creating' }}
        encType="multipart/form-data"
        isWaiting={busy.size > 0}
        // Without JavaScript, Enter in the search field of the open picker must not save the course.
        intent={picking && !isHydrated ? 'search' : 'save'}
      >
        <input type="hidden" name="revision" value={revision} />
        <input type="hidden" name="uid" value={uid} />
        {course?.live && course.latest !== course.live && (
          <p className="notice">
            Learners see {course.live} until {course.latest} is published.{' '}
            <UnpublishLink to={`/dashboard/courses/${uid}/publish/`} live={course.live} />
          </p>
        )}
        <ProblemsLine problems={problems} />
        <PlannedLine kind="course" uid={uid} planned={planned} />
        <FormTabs
          label="Parts of the course"
          initial={lastTabs.get(uid)}
          onSelect={(id) => lastTabs.set(uid, id)}
          footer={tabFooter}
          tabs={[
            {
              id: 'details',
              label: 'Details',
              fields: [
                'name',
                'synopsis',
                'description',
                'learningObjectives',
                'coverImg',
                'coverImgDesc',
                'bannerImg',
                'accessPlanUids',
                'tags',
                'durationMinutes',
                'showsTerms',
              ],
              content: <Details choices={choices} files={files} formId={formId} onBusyChange={onBusyChange} />,
            },
            {
              id: 'sections',
              label: 'Sections',
              fields: ['sections'],
              needs: 'outline',
              content: <CourseBuilder outline={outline} modules={modules} plans={choices.plans} picking={picking} />,
            },
          ]}
        />
      </ConsoleForm>
    </RouteDialog>
  )
}

type DetailsProps = {
  choices: CourseChoices
  files: CourseFiles
  formId: string
  onBusyChange: (field: string) => (isBusy: boolean) => void
}

function Details({ choices, files, formId, onBusyChange }: DetailsProps) {
  return (
    <>
      <TextField name="name" label="Name" maxLength={courseLimits.name} hasCounter />
      <TextArea
        name="synopsis"
        label="Synopsis"
        hint="A few sentences for the course's card."
        isOptional
        maxLength={courseLimits.synopsis}
      />
      <TextArea
        name="description"
        label="Description"
        hint="Shown on the course's page."
        isOptional
        maxLength={courseLimits.description}
      />
      <TextArea
        name="learningObjectives"
        label="Learning objectives"
        hint={`One in each line, at most ${courseLimits.objectives}.`}
        isOptional
        hasCounter={false}
      />
      <FormFileField
        name="coverImg"
        kind="cover_img"
        label="Cover image"
        hint="For cards. PNG or JPG, up to 1 MB. Recommended PNG 700x394 (16:9)."
        value={files.coverImg}
        formId={formId}
        onBusyChange={onBusyChange('coverImg')}
      />
      <TextField
        name="coverImgDesc"
        label="Cover image description"
        hint="Describes the image for people who cannot see it."
        isOptional
        maxLength={courseLimits.coverImgDesc}
        hasCounter
      />
      <FormFileField
        name="bannerImg"
        kind="cover_img"
        label="Banner image"
        hint="For the top of the course's page. PNG or JPG, up to 1 MB."
        value={files.bannerImg}
        formId={formId}
        onBusyChange={onBusyChange('bannerImg')}
      />
      <MultiSelect
        name="accessPlanUids"
        label="Groups with access"
        hint="Without a group, no learner sees the course."
        isOptional
        options={choices.plans}
      />
      <TagPicker name="tags" label="Topics/tags" known={choices.tags} isOptional />
      <NumberField
        name="durationMinutes"
        label="Duration in minutes"
        isOptional
        unit="min"
        hint="If it is empty, the durations of its modules are added up."
      />
      <CheckboxField name="showsTerms" label={showsTermsLabel} hint={showsTermsHint} />
    </>
  )
}

type ActionsProps = { formId: string; course: SavedCourseView | null; isUploading: boolean }

/**
 * PUBLISH or UNPUBLISH, and Save. A course with unsaved changes is not published: with JavaScript nothing is sent then,
 * and without it the server refuses.
 */
function Actions({ formId, course, isUploading }: ActionsProps) {
  const isHydrated = useHydrated()
  const navigate = useNavigate()
  const { search } = useLocation()
  const isPublished = course?.status === 'published'
  const publish = (event: MouseEvent<HTMLButtonElement>) => {
    if (!isHydrated) return
    event.preventDefault()
    const isDirty = hasUnsavedChanges(document.getElementById(formId) as HTMLFormElement | null)
    if (!course || isDirty) notify({ kind: 'error', text: 'Course needs to be saved before publishing' })
    else navigate(`/dashboard/courses/${course.uid}/publish/${tableSearch(search)}`, { preventScrollReset: true })
  }
  return (
    <span className="end">
      <SubmitButton
        className={isPublished ? 'btn--danger-line' : 'btn--secondary'}
        form={formId}
        intent="publish"
        busyWord="Opening"
        onClick={publish}
      >
        {isPublished ? 'UNPUBLISH' : 'PUBLISH'}
      </SubmitButton>
      <SubmitButton
        className="btn--primary"
        form={formId}
        intent="save"
        busyWord="Saving"
        disabled={isUploading}
        title={isUploading ? 'You can save as soon as the upload is complete.' : undefined}
      >
        Save
      </SubmitButton>
    </span>
  )
}
