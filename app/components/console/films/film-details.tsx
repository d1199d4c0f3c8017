import { useState } from 'react'
import { type FilmKindName, filmLimits, filmPhases } from '~/forms/films.ts'
import { showsTermsHint, showsTermsLabel } from '~/forms/terms.ts'
import { categoryNames, videoCategories } from '~/forms/videos.ts'
import { MultiSelect, SelectField } from '../../ui/choice-fields.tsx'
import { CheckboxField, TextField, useFormField } from '../../ui/fields.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { FormFileField } from '../form-file-field.tsx'
import { TagPicker } from '../tag-picker.tsx'
import type { FilmChoices, FilmFiles } from './view.ts'

/** The names of the fields, for the tab. */
export const detailFields = [
  'name',
  'category',
  'status',
  'coverImg',
  'coverImgDesc',
  'presenter',
  'phases',
  'tags',
  'accessPlanUids',
  'description',
  'inLecturesPage',
  'comingSoon',
  'showsTerms',
]

type Props = {
  kind: FilmKindName
  choices: FilmChoices
  files: FilmFiles
  formId: string
  onBusyChange: (isBusy: boolean) => void
}

const statuses = [
  { value: 'draft', label: 'Draft' },
  { value: 'published', label: 'Published' },
]
const categories = videoCategories.map((value) => ({ value, label: categoryNames[value] }))
const phases = filmPhases.map((value) => ({ value, label: value }))

/** The tab "Details" of the dialog of a lecture or video. */
export function FilmDetails({ kind, choices, files, formId, onBusyChange }: Props) {
  const { defaultValue } = useFormField('comingSoon')
  const [isSoon, setSoon] = useState(defaultValue === 'on')
  return (
    <>
      <TextField name="name" label="Name" maxLength={filmLimits.name} hasCounter />
      {kind === 'video' && (
        <SelectField name="category" label="Category" placeholder="Choose a category" options={categories} />
      )}
      <SelectField name="status" label="Status" options={statuses} isDisabled={kind === 'lecture' && isSoon} />
      <FormFileField
        name="coverImg"
        kind="cover_img"
        label="Cover image"
        hint="png or jpg, 1 MB. Recommended 700 x 394 (16:9)."
        value={files.coverImg}
        formId={formId}
        onBusyChange={onBusyChange}
      />
      <TextField
        name="coverImgDesc"
        label="Cover image description"
        hint="Describes the image for people who cannot see it."
        maxLength={filmLimits.coverImgDesc}
        hasCounter
      />
      <TextField name="presenter" label="Presenter" isOptional maxLength={filmLimits.presenter} hasCounter />
      <MultiSelect name="phases" label="Phases" isOptional options={phases} />
      <TagPicker name="tags" label="Topics/tags" known={choices.tags} isOptional />
      <MultiSelect name="accessPlanUids" label="Groups with access" options={choices.plans} />
      <TextArea name="description" label="Description" maxLength={filmLimits.description} />
      {kind === 'lecture' && (
        <div>
          <CheckboxField name="inLecturesPage" label="Add to Lectures page" />
          <CheckboxField
            name="comingSoon"
            label="Coming Soon"
            hint="Learners see the lecture, but cannot open it."
            onToggle={setSoon}
          />
        </div>
      )}
      <CheckboxField name="showsTerms" label={showsTermsLabel} hint={showsTermsHint} />
    </>
  )
}
