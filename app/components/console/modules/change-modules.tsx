import { useEffect } from 'react'
import type { ModulesChange } from '~/forms/change-modules.ts'
import { FormErrors } from '../../ui/form.tsx'
import { BulkProgress } from '../bulk/bulk-progress.tsx'
import type { BulkView } from '../bulk/view.ts'
import { ConfirmDelete } from '../confirm-delete.tsx'
import { ConfirmRoute, HiddenFields, nothingTyped } from '../confirm-route.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'

/**
 * `starts`: how many people have opened the module. `isUnaffected`: it is already published, or unpublished, and stays as
 * it is.
 */
type SelectedModule = { uid: string; name: string; starts: number; isUnaffected: boolean }

export type ModulesChangeView = {
  change: ModulesChange
  operation: BulkView
  /** The name of the person who prepared it, and who alone can confirm it; null for the viewer. */
  otherStarter: string | null
  /** While nobody has confirmed: the selected modules. */
  asked: SelectedModule[]
  /** When it has ended: the modules that were changed. */
  changed: { uid: string; name: string }[]
}

type Props = {
  /** Null if nothing was selected. */
  view: ModulesChangeView | null
  /** Removes what was changed from the table's selection. */
  onChanged: (uids: string[]) => void
}

const closeTo = '/dashboard/modules/'

/** Asks once before the selected modules are changed, and then shows the progress and the result. */
export function ChangeModules({ view, onChanged }: Props) {
  const changed = view?.changed
  useEffect(() => {
    if (changed && changed.length > 0) onChanged(changed.map(({ uid }) => uid))
  }, [changed, onChanged])
  if (!view) return <NothingSelected />
  if (view.operation.status !== 'prepared') return <Progress {...view} />
  return view.otherStarter === null ? <Question {...view} /> : <NotConfirmed {...view} />
}

/** What an admin sees of a change that somebody else has not confirmed yet. */
function NotConfirmed({ operation, otherStarter, asked }: ModulesChangeView) {
  return (
    <RouteDialog title={operation.title} size="md" closeTo={closeTo} footer={<Closer />}>
      <p className="dlg-question">
        {otherStarter} prepared this and has not confirmed it yet. Only the person who prepared it can confirm it.
      </p>
      <ModuleNames modules={asked} />
    </RouteDialog>
  )
}

function Question({ change, operation, asked: modules }: ModulesChangeView) {
  const count = modules.length === 1 ? '1 module' : `${modules.length} modules`
  const fields = { operation: operation.uid }
  if (change === 'delete') {
    return (
      <ConfirmDelete
        title={`Remove ${count}`}
        question={
          <>
            Are you sure you want to remove {modules.length === 1 ? 'this module' : `these ${count}`}?
            <ModuleNames modules={modules} />
          </>
        }
        warnings={[
          `All related CMI5 content is removed with ${modules.length === 1 ? 'it' : 'them'}.`,
          `This may affect the progress of learners who have started ${modules.length === 1 ? 'it' : 'them'}.`,
        ]}
        fields={fields}
        closeTo={closeTo}
      />
    )
  }
  const isPublishing = change === 'publish'
  const unaffected = modules.filter(({ isUnaffected }) => isUnaffected).length
  return (
    <ConfirmRoute
      title={`${isPublishing ? 'Publish' : 'Unpublish'} ${count}`}
      question={
        <>
          <p className="dlg-question">
            Do you want to {change} {modules.length === 1 ? 'this module' : `these ${count}`}?
            {unaffected > 0 &&
              ` ${unaffected} of ${modules.length} ${unaffected === 1 ? 'is' : 'are'} already ${change}ed and will not change.`}
          </p>
          <ModuleNames modules={modules} />
          <p className="notice mt-4">
            {isPublishing ? 'The latest version is published. ' : 'Learners cannot open an unpublished module. '}
            {isPublishing
              ? 'Learners who started an earlier version stay in it.'
              : 'Their progress is kept for when it is published again.'}
          </p>
        </>
      }
      actionLabel={isPublishing ? 'Publish' : 'Unpublish'}
      tone={isPublishing ? 'primary' : 'danger'}
      intent={change}
      fields={fields}
      closeTo={closeTo}
    />
  )
}

type NamesProps = { modules: { uid: string; name: string; starts?: number }[]; label?: string }

function ModuleNames({ modules, label = 'Selected modules' }: NamesProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="namebox" tabIndex={0} aria-label={label}>
      <ul className="namelist">
        {modules.map(({ uid, name, starts = 0 }) => (
          <li key={uid}>
            {name}
            {starts > 0 && (
              <span className="muted small">
                {' '}
                · started by {starts === 1 ? '1 person' : `${starts.toLocaleString('en')} people`}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function NothingSelected() {
  const refusal = useRefusal()
  return (
    <RouteDialog title="Nothing is selected" size="md" closeTo={closeTo} footer={<Closer />}>
      {refusal ? <FormErrors refusal={refusal} /> : <p>Please tick one or more modules in the table first.</p>}
    </RouteDialog>
  )
}

const doneWords = { publish: 'Published', unpublish: 'Unpublished', delete: 'Removed', restore: 'Restored' }

function Progress({ change, operation, changed }: ModulesChangeView) {
  return (
    <RouteDialog title={operation.title} size="md" closeTo={closeTo} footer={<Closer />}>
      <div className="formstack">
        <BulkProgress operation={operation} />
        {changed.length > 0 && (
          <div className="bulk-list">
            {operation.failed > 0 && <h3>{doneWords[change]}</h3>}
            <ModuleNames label={doneWords[change]} modules={changed} />
          </div>
        )}
        {change === 'delete' && changed.length > 0 && <UndoForm operationUid={operation.uid} />}
      </div>
    </RouteDialog>
  )
}

function UndoForm({ operationUid }: { operationUid: string }) {
  return (
    <ConsoleForm id="undo" intent="restore" schema={nothingTyped}>
      <HiddenFields fields={{ operation: operationUid }} />
      <SubmitButton className="btn--secondary" intent="restore" busyWord="Restoring">
        Undo
      </SubmitButton>
    </ConsoleForm>
  )
}

function Closer() {
  return (
    <span className="end">
      <CloseLink closeTo={closeTo} />
    </span>
  )
}
