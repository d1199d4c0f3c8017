import { useState } from 'react'
import { moduleForm, moduleFormId, moduleLimits } from '~/forms/modules.ts'
import { showsTermsHint, showsTermsLabel } from '~/forms/terms.ts'
import { withOrWithout } from '~/lib/sets.ts'
import { MultiSelect } from '../../ui/choice-fields.tsx'
import { CheckboxField, NumberField, TextField } from '../../ui/fields.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { ProblemsLine } from '../checks/problems.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { DependentSelect } from '../dependent-select.tsx'
import type { DraftOfForm } from '../drafts/form-draft.tsx'
import { FormFileField } from '../form-file-field.tsx'
import { FormTabs } from '../form-tabs.tsx'
import { HistoryLink } from '../history/history-link.tsx'
import { CloseLink, DialogLink, RouteDialog } from '../route-dialog.tsx'
import { PlannedLine } from '../schedule/schedule-dialog.tsx'
import { StatusChip } from '../status-chip.tsx'
import { TagPicker } from '../tag-picker.tsx'
import { UnpublishLink } from '../unpublish-link.tsx'
import { ModuleActions } from './module-actions.tsx'
import { PackageState } from './package-state.tsx'
import { peopleInWords } from './people-in-module.ts'
import { VersionList } from './version-list.tsx'
import type { ModuleChoices, ModuleFiles, SavedModuleView } from './view.ts'

type Props = {
  choices: ModuleChoices
  defaults: Record<string, unknown>
  files: ModuleFiles
  /** Null while the module is being created; `uid` is then the uid that it will get. */
  module: SavedModuleView | null
  uid: string
  draft: DraftOfForm['offered']
  problems?: string[]
  planned?: string[]
}

const closeTo = '/dashboard/modules/'

/**
 * The last open tab of each module, by uid. The dialog opens there again after a save or after another dialog. Only the
 * browser writes it.
 */
const lastTabs = new Map<string, string>()

/** The dialog of a module: one form in two tabs, with actions for the saved module. */
export function ModuleDialog(props: Props) {
  const { choices, defaults, files, module, uid: given, draft, problems = [], planned = [] } = props
  const refusal = useRefusal()
  const status = module?.latest?.package?.status
  const [tabFooter, setTabFooter] = useState<HTMLElement | null>(null)
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set())
  const onBusyChange = (field: string) => (isBusy: boolean) => setBusy((before) => withOrWithout(before, field, isBusy))
  // When another person has saved changes, the form is created again with those changes. Its id changes with the
  // revision, as after the first save, because the form library keeps initial values by form id.
  const revision = refusal?.values.revision ?? String(module?.revision ?? 0)
  // A new module that is restored from a draft has the uid of the draft.
  const uid = refusal?.values.uid || given
  const formId = refusal?.formId ?? moduleFormId(module ? uid : 'new', revision)
  return (
    <RouteDialog
      title={module ? 'Edit Module' : 'Create Module'}
      size="lg"
      isForm
      closeTo={closeTo}
      status={<StatusChip status={module?.status ?? 'draft'} />}
      footer={
        <>
          <CloseLink closeTo={closeTo} />
          {module && <HistoryLink to={`${closeTo}${uid}/history/`} />}
          <span ref={setTabFooter} />
          <ModuleActions formId={formId} module={module} isUploading={busy.size > 0} />
        </>
      }
    >
      <ConsoleForm
        key={formId}
        id={formId}
        schema={moduleForm}
        defaults={defaults}
        draft={{ kind: 'module', uid, isNew: !module, offered: draft }}
        guard={{ noun: 'module', mode: module ? 'editing' : 'creating' }}
        encType="multipart/form-data"
        isWaiting={busy.size > 0}
      >
        <input type="hidden" name="revision" value={revision} />
        <input type="hidden" name="uid" value={uid} />
        {module && <OlderVersionLive module={module} />}
        <ProblemsLine problems={problems} />
        <PlannedLine kind="module" uid={uid} planned={planned} />
        <FormTabs
          label="Parts of the module"
          initial={lastTabs.get(uid) ?? (status === 'error' ? 'content' : 'details')}
          onSelect={(id) => lastTabs.set(uid, id)}
          footer={tabFooter}
          tabs={[
            {
              id: 'details',
              label: 'Details',
              fields: [
                'name',
                'coverImg',
                'coverImgDesc',
                'chapterUid',
                'accessPlanUids',
                'tags',
                'description',
                'durationMinutes',
                'inSelfStudy',
                'comingSoon',
                'showsTerms',
              ],
              content: (
                <Details
                  choices={choices}
                  formId={formId}
                  estimate={module?.estimate ?? null}
                  cover={files.coverImg}
                  onBusyChange={onBusyChange('coverImg')}
                />
              ),
            },
            {
              id: 'content',
              label: 'Content',
              fields: ['cmi5Zip'],
              hasProblem: status === 'error',
              content: (
                <Content module={module} formId={formId} zip={files.cmi5Zip} onBusyChange={onBusyChange('cmi5Zip')} />
              ),
            },
          ]}
        />
      </ConsoleForm>
    </RouteDialog>
  )
}

type OfForm = { formId: string; onBusyChange: (isBusy: boolean) => void }

function Details({
  choices,
  estimate,
  cover,
  formId,
  onBusyChange,
}: { choices: ModuleChoices; estimate: string | null; cover: ModuleFiles['coverImg'] } & OfForm) {
  return (
    <>
      <TextField name="name" label="Name" maxLength={moduleLimits.name} hasCounter />
      <FormFileField
        name="coverImg"
        kind="cover_img"
        label="Cover image"
        hint="PNG or JPG, up to 1 MB. Recommended PNG 700x394 (16:9)."
        value={cover}
        formId={formId}
        onBusyChange={onBusyChange}
      />
      <TextField
        name="coverImgDesc"
        label="Cover image description"
        hint="Describes the image for people who cannot see it."
        maxLength={moduleLimits.coverImgDesc}
        hasCounter
      />
      <DependentSelect
        isOptional
        parent={{ name: 'section', label: 'Section', placeholder: 'No section' }}
        child={{ name: 'chapterUid', label: 'Chapter', placeholder: 'No chapter' }}
        groups={choices.sections}
      />
      <MultiSelect name="accessPlanUids" label="Groups with access" options={choices.plans} />
      <TagPicker name="tags" label="Topics/tags" known={choices.tags} isOptional />
      <TextArea name="description" label="Description" isOptional maxLength={moduleLimits.description} />
      <NumberField
        name="durationMinutes"
        label="Duration in minutes"
        isOptional
        unit="min"
        hint={
          estimate
            ? `If it is empty, learners see “${estimate}”: an estimate from the words, films and questions of the package.`
            : 'If it is empty, it is estimated from the words, films and questions of the package.'
        }
      />
      <div>
        <CheckboxField name="inSelfStudy" label="Add to Modules page" />
        <CheckboxField
          name="comingSoon"
          label="Coming Soon"
          hint="Learners see the module, but nobody can open or publish it."
        />
        <CheckboxField name="showsTerms" label={showsTermsLabel} hint={showsTermsHint} />
      </div>
    </>
  )
}

function Content({
  module,
  zip,
  formId,
  onBusyChange,
}: { module: SavedModuleView | null; zip: ModuleFiles['cmi5Zip'] } & OfForm) {
  return (
    <>
      {module && <PeopleWarning people={module.people} latest={module.latest?.label ?? null} />}
      <FormFileField
        name="cmi5Zip"
        kind="cmi5_zip"
        accept={['.zip']}
        label="CMI5 zip"
        hint="A .zip package, up to 50 MB. Quizzes are built in your external authoring system and are part of the package."
        value={zip}
        formId={formId}
        onBusyChange={onBusyChange}
      />
      {module?.latest && <PackageState moduleUid={module.uid} version={module.latest} />}
      {module && module.versions.length > 0 && (
        <>
          {module.versions.some((version) => version.package?.status === 'parsed') && <UnitsLink uid={module.uid} />}
          <VersionList
            moduleUid={module.uid}
            isComingSoon={module.isComingSoon}
            learnersToMove={module.people.inOtherVersions}
            versions={module.versions}
          />
        </>
      )}
    </>
  )
}

/** Links to the rules of single units, which authors can set instead of those in the package. */
function UnitsLink({ uid }: { uid: string }) {
  return (
    <p>
      <DialogLink to={`/dashboard/modules/${uid}/units/`}>
        Unit rules: completion, mastery score, launch parameters
      </DialogLink>
    </p>
  )
}

/** Says which version learners get while a newer one is a draft. The chip in the title shows the newer one. */
function OlderVersionLive({ module }: { module: SavedModuleView }) {
  const live = module.versions.find(({ status }) => status === 'published')
  if (!live || !module.latest || live.isLatest) return null
  return (
    <div className="notice">
      <p>
        <strong>{live.label} is live.</strong>
        Learners get {live.label} until {module.latest.label} is published.{' '}
        <UnpublishLink to={`/dashboard/modules/${module.uid}/publish/`} live={live.label} />
      </p>
    </div>
  )
}

/** Warns before a package is replaced. */
function PeopleWarning({ people, latest }: { people: SavedModuleView['people']; latest: string | null }) {
  const who = peopleInWords(people)
  if (who === null || latest === null) return null
  return (
    <div className="notice">
      <p>
        <strong>{who}.</strong>A new package does not affect them: they stay in the version that they started. Learners
        who start after you publish it get the new one.
      </p>
    </div>
  )
}
