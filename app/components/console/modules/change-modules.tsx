import { useEffect } from 'react'
import type { ModulesChange } from '~/forms/change-modules.ts'
import { FormErrors } from '../../ui/form.tsx'
import { BulkProgress } from '../bulk/bulk-progress.tsx'
import type { BulkView } from '../bulk/view.ts'
import { ConfirmDelete } from '../confirm-delete.tsx'
import { ConfirmRoute, HiddenFields, nothingTyped } from '../confirm-route.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { NameBox } from '../name-box.tsx'
import { CloseFooter, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'

type NamedModule = { uid: string; name: string }

/**
 * `starts`: how many people have opened the module. `obstacle`: why the change would leave it as it is; `isAlready` if it
 * needs no change.
 */
type SelectedModule = NamedModule & { starts: number; obstacle: { isAlready: boolean; reason: string } | null }

export type ModulesChangeView = {
  change: ModulesChange
  operation: BulkView
  /** The name of the person who prepared it, and who alone can confirm it; null for the viewer. */
  otherStarter: string | null
  /** While nobody has confirmed: the selected modules. */
  asked: SelectedModule[]
  /** While nobody has confirmed: why nobody can, because no module would change. */
  refusal: string | null
  /** When it has ended: the modules that were changed. */
  changed: NamedModule[]
  /** Those that were already published, unpublished or restored. */
  unchanged: NamedModule[]
}

type Props = {
  /** Null if nothing was selected. */
  view: ModulesChangeView | null
  /** Removes from the table's selection what was changed and what needed no change. What failed stays selected. */
  onDone: (uids: string[]) => void
}

const closeTo = '/dashboard/modules/'

/** Asks once before the selected modules are changed, and then shows the progress and the result. */
export function ChangeModules({ view, onDone }: Props) {
  useEffect(() => {
    const done = view ? [...view.changed, ...view.unchanged] : []
    if (done.length > 0) onDone(done.map(({ uid }) => uid))
  }, [view, onDone])
  if (!view) return <NothingSelected />
  if (view.operation.status !== 'prepared') return <Progress {...view} />
  if (view.otherStarter !== null) return <NotConfirmed {...view} />
  return view.refusal === null ? <Question {...view} /> : <NothingToChange {...view} />
}

/** What an admin sees of a change that somebody else has not confirmed yet. */
function NotConfirmed({ operation, otherStarter, asked }: ModulesChangeView) {
  return (
    <RouteDialog title={operation.title} size="md" closeTo={closeTo} footer={<CloseFooter closeTo={closeTo} />}>
      <p className="dlg-question">
        {otherStarter} prepared this and has not confirmed it yet. Only the person who prepared it can confirm it.
      </p>
      <ModuleNames modules={asked} />
    </RouteDialog>
  )
}

function NothingToChange({ change, asked, refusal }: ModulesChangeView) {
  return (
    <RouteDialog title={titleOf(change, asked)} size="md" closeTo={closeTo} footer={<CloseFooter closeTo={closeTo} />}>
      <p className="dlg-question">{refusal}</p>
      <ModuleNames modules={asked} />
    </RouteDialog>
  )
}

const verbs = { publish: 'Publish', unpublish: 'Unpublish', delete: 'Remove', restore: 'Restore' }

function titleOf(change: ModulesChange, { length }: SelectedModule[]): string {
  return `${verbs[change]} ${length === 1 ? '1 Module' : `${length} Modules`}`
}

function Question({ change, operation, asked: modules }: ModulesChangeView) {
  const count = modules.length === 1 ? '1 module' : `${modules.length} modules`
  const title = titleOf(change, modules)
  const fields = { operation: operation.uid }
  if (change === 'delete') {
    return (
      <ConfirmDelete
        title={title}
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
  return (
    <ConfirmRoute
      title={title}
      question={
        <>
          <p className="dlg-question">
            Do you want to {change} {modules.length === 1 ? 'this module' : `these ${count}`}?
            {whatStays(change, modules)}
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

/** Counts the modules that will not change. The list of names says why. */
function whatStays(change: ModulesChange, modules: SelectedModule[]): string {
  const already = modules.filter(({ obstacle }) => obstacle?.isAlready).length
  const impossible = modules.filter(({ obstacle }) => obstacle && !obstacle.isAlready).length
  return [
    already > 0 &&
      ` ${already} of ${modules.length} ${already === 1 ? 'is' : 'are'} already ${change}ed and will not change.`,
    impossible > 0 && ` ${impossible} of ${modules.length} cannot be ${change}ed. The list says why.`,
  ]
    .filter(Boolean)
    .join('')
}

type NamesProps = { modules: (NamedModule & Partial<SelectedModule>)[]; label?: string }

function ModuleNames({ modules, label = 'Selected modules' }: NamesProps) {
  return (
    <NameBox label={label}>
      {modules.map(({ uid, name, starts = 0, obstacle }) => (
        <li key={uid}>
          {name}
          {obstacle && <span className="muted small"> · {obstacle.reason}</span>}
          {starts > 0 && (
            <span className="muted small">
              {' '}
              · started by {starts === 1 ? '1 person' : `${starts.toLocaleString('en')} people`}
            </span>
          )}
        </li>
      ))}
    </NameBox>
  )
}

function NothingSelected() {
  const refusal = useRefusal()
  return (
    <RouteDialog title="Nothing is selected" size="md" closeTo={closeTo} footer={<CloseFooter closeTo={closeTo} />}>
      {refusal ? <FormErrors refusal={refusal} /> : <p>Select one or more modules in the table first.</p>}
    </RouteDialog>
  )
}

const doneWords = { publish: 'Published', unpublish: 'Unpublished', delete: 'Removed', restore: 'Restored' }

function Progress({ change, operation, changed, unchanged }: ModulesChangeView) {
  return (
    <RouteDialog title={operation.title} size="md" closeTo={closeTo} footer={<CloseFooter closeTo={closeTo} />}>
      <div className="formstack">
        <BulkProgress operation={operation} />
        {changed.length > 0 && (
          <div className="bulk-list">
            {(operation.failed > 0 || unchanged.length > 0) && <h3>{doneWords[change]}</h3>}
            <ModuleNames label={doneWords[change]} modules={changed} />
          </div>
        )}
        {unchanged.length > 0 && (
          <div className="bulk-list">
            <h3>Already {operation.past}</h3>
            <ModuleNames label={`Already ${operation.past}`} modules={unchanged} />
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
