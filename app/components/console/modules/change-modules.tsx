import { useActionData } from '@remix-run/react'
import { useEffect } from 'react'
import type { ModulesChange } from '~/forms/change-modules.ts'
import { Icon } from '../../ui/icon.tsx'
import { ConfirmDelete } from '../confirm-delete.tsx'
import { ConfirmRoute, HiddenFields, nothingTyped } from '../confirm-route.tsx'
import { ConsoleForm } from '../console-form.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'

/** `starts`: people who have opened it. */
type SelectedModule = { uid: string; name: string; starts: number }
type ChangeResults = {
  change: ModulesChange
  results: { uid: string; name: string | null; problem: string | null }[]
}

type Props = {
  intent: Exclude<ModulesChange, 'restore'>
  modules: SelectedModule[]
  /** The table unticks what was changed. */
  onChanged: (uids: string[]) => void
}

const closeTo = '/dashboard/modules/'

/** Asks once before the selected modules are changed, and then says what became of each. */
export function ChangeModules({ intent, modules, onChanged }: Props) {
  const answer = useActionData<Partial<ChangeResults> | null>()
  const done = answer?.results && answer.change ? (answer as ChangeResults) : null
  useEffect(() => {
    if (done) onChanged(done.results.filter(({ problem }) => problem === null).map(({ uid }) => uid))
  }, [done, onChanged])
  if (done) return <Results {...done} />
  if (modules.length === 0) return <NothingSelected />
  const count = modules.length === 1 ? '1 module' : `${modules.length} modules`
  const fields = { uid: modules.map(({ uid }) => uid) }
  if (intent === 'delete') {
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
          'All related CMI5 content is removed with them.',
          'This may affect the progress of students who have started them.',
        ]}
        fields={fields}
        closeTo={closeTo}
      />
    )
  }
  const isPublishing = intent === 'publish'
  return (
    <ConfirmRoute
      title={`${isPublishing ? 'Publish' : 'Unpublish'} ${count}`}
      question={
        <>
          <p className="dlg-question">
            Do you want to {intent} {modules.length === 1 ? 'this module' : `these ${count}`}?
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
      actionLabel={isPublishing ? 'PUBLISH' : 'UNPUBLISH'}
      tone={isPublishing ? 'primary' : 'danger'}
      intent={intent}
      fields={fields}
      closeTo={closeTo}
    />
  )
}

function ModuleNames({ modules }: { modules: SelectedModule[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="namebox" tabIndex={0} aria-label="Selected modules">
      <ul className="namelist">
        {modules.map(({ uid, name, starts }) => (
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
  return (
    <RouteDialog title="Nothing is selected" size="md" closeTo={closeTo} footer={<Closer />}>
      <p>Please tick one or more modules in the table first.</p>
    </RouteDialog>
  )
}

const pastOf = { publish: 'published', unpublish: 'unpublished', delete: 'removed', restore: 'restored' }

function Results({ change, results }: ChangeResults) {
  const done = results.filter(({ problem }) => problem === null)
  const problems = results.filter(({ problem }) => problem !== null)
  const past = pastOf[change]
  const title =
    problems.length === 0 ? `${countOf(done.length)} ${past}` : `${done.length} of ${countOf(results.length)} ${past}`
  return (
    <RouteDialog title={title} size="md" closeTo={closeTo} footer={<Closer />}>
      <div className="formstack">
        {problems.length > 0 && <ResultList label="Not changed" icon="alert" results={problems} />}
        {done.length > 0 && (
          <ResultList label={past.replace(/^./, (first) => first.toUpperCase())} icon="check" results={done} />
        )}
        {change === 'delete' && done.length > 0 && <UndoForm uids={done.map(({ uid }) => uid)} />}
      </div>
    </RouteDialog>
  )
}

function countOf(count: number): string {
  return count === 1 ? '1 module' : `${count} modules`
}

type ListProps = { label: string; icon: 'alert' | 'check'; results: ChangeResults['results'] }

function ResultList({ label, icon, results }: ListProps) {
  return (
    <section aria-label={label}>
      <h3 className="legend">{label}</h3>
      <ul className={`results results--${icon}`}>
        {results.map(({ uid, name, problem }) => (
          <li key={uid}>
            <Icon name={icon} />
            <span>
              <strong>{name ?? 'A module'}</strong>
              {problem && <span className="problem">{problem}</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function UndoForm({ uids }: { uids: string[] }) {
  return (
    <ConsoleForm id="undo" intent="restore" schema={nothingTyped}>
      <HiddenFields fields={{ uid: uids }} />
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
