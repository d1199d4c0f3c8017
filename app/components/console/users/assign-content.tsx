import { type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react'
import { dueOfManyForm, longestNote } from '~/forms/assignments.ts'
import { longestPickSearch } from '~/forms/picked.ts'
import { useShell } from '../../layout/shell.ts'
import { DateField } from '../../ui/date-fields.tsx'
import { CheckboxField } from '../../ui/fields.tsx'
import { FormErrors, useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { HiddenFields } from '../confirm-route.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { NameBox } from '../name-box.tsx'
import { CloseFooter, CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { AccessWarning } from './access-warning.tsx'
import type { AssignItem, AssignList, AssignView } from './assign-view.ts'

const closeTo = '/dashboard/users/'
const formId = 'assign'

/** Assigns modules and courses to the selected learners (C-095, C-097). `view` is null if nobody is selected. */
export function AssignContent({ view }: { view: AssignView | null }) {
  return view ? <AssignDialog view={view} /> : <NobodySelected />
}

function AssignDialog({ view }: { view: AssignView }) {
  const { assignVerb } = useShell().brand
  const refusal = useRefusal(formId)
  const ticked = refusal ? [refusal.values.item ?? [], refusal.repeated?.item ?? []].flat() : view.ticked
  const { boxes, count, recount } = useTickCount(view)
  const isHydrated = useHydrated()
  const { operationUid, people, total, find, lists, today, dueOn, note, removesDue, audience, joins } = view
  const schema = useMemo(() => dueOfManyForm({ today }), [today])
  return (
    <RouteDialog
      title={`${assignVerb} Content`}
      isForm
      closeTo={closeTo}
      footer={
        <span className="end">
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          <SubmitButton
            className="btn--primary"
            form={formId}
            intent="assign"
            busyWord="Saving"
            disabled={isHydrated && count === 0}
          >
            {assignVerb}
          </SubmitButton>
        </span>
      }
    >
      <ConsoleForm
        id={formId}
        intent="find"
        schema={schema}
        defaults={{ dueOn, note, removesDue: removesDue ? 'on' : undefined, joins: joins ? 'on' : undefined }}
        // Searching and turning pages needs no valid date.
        neededBy={(intent) => (intent === 'assign' ? undefined : { fields: [] })}
        className="formstack"
      >
        <HiddenFields
          fields={{
            operation: operationUid,
            found: find,
            verb: assignVerb,
            ...(audience && { audience: audience.uid }),
            ...Object.fromEntries(lists.map(({ kind, page }) => [`${kind}-page`, String(page)])),
          }}
        />
        <People people={people} total={total} />
        <Search find={find} />
        <div ref={boxes} onChange={recount} className="formstack">
          {lists.map((list) => (
            <Items key={list.kind} list={list} people={total} ticked={new Set(ticked)} find={find} />
          ))}
        </div>
        <DateField
          name="dueOn"
          label="Due date"
          hint="Learners are reminded by email a week and a day before, and a day after."
          isOptional
          min={today}
        />
        <CheckboxField name="removesDue" label="Remove the due date" hint="For people who already have the item." />
        <TextArea
          name="note"
          label="Note"
          hint="Shown on the page of each item. Whoever has an item already gets the date and the note too. If you leave a field empty, they keep what they have."
          isOptional
          maxLength={longestNote}
          rows={3}
        />
        {audience && (
          <CheckboxField
            name="joins"
            label={`Also for people who join “${audience.name}” later`}
            hint="They get it within ten minutes. You can stop this on the page of the audience."
          />
        )}
        {isHydrated && (
          <p className="muted" role="status">
            {count === 1 ? '1 item is selected.' : `${count} items are selected.`}
          </p>
        )}
      </ConsoleForm>
    </RouteDialog>
  )
}

/** Counts the ticked boxes of the lists. The boxes keep their own state. */
function useTickCount(view: AssignView): { boxes: RefObject<HTMLDivElement>; count: number; recount: () => void } {
  const boxes = useRef<HTMLDivElement>(null)
  const [count, setCount] = useState(view.ticked.length)
  const recount = () => setCount(boxes.current?.querySelectorAll('input:checked').length ?? 0)
  // A page of other items has other boxes, and what was unassigned gets one.
  useEffect(recount, [view])
  return { boxes, count, recount }
}

function People({ people, total }: Pick<AssignView, 'people' | 'total'>) {
  if (total === 1) return <p>To {people[0]?.name}</p>
  const more = total - people.length
  return (
    <details>
      <summary className="list-item">To {total.toLocaleString('en')} people</summary>
      <NameBox label="Selected people">
        {people.map(({ uid, name }) => (
          <li key={uid}>{name}</li>
        ))}
        {more > 0 && <li>and {more.toLocaleString('en')} more</li>}
      </NameBox>
    </details>
  )
}

function Search({ find }: { find: string }) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>Search modules and courses</label>
      <div className="picker-search">
        <input
          key={find}
          id={id}
          className="input"
          type="search"
          name="find"
          defaultValue={find}
          maxLength={longestPickSearch}
          autoComplete="off"
        />
        <SubmitButton className="btn--secondary" intent="find" busyWord="Searching">
          Search
        </SubmitButton>
      </div>
    </div>
  )
}

const headings = { module: 'Modules', course: 'Courses' }

type ItemsProps = { list: AssignList; people: number; ticked: ReadonlySet<string>; find: string }

function Items({ list, people, ticked, find }: ItemsProps) {
  const { kind, items, elsewhere, total, page, pages } = list
  const id = useId()
  const row = (item: AssignItem) => (
    <Item key={item.uid} item={item} kind={kind} people={people} isTicked={ticked.has(item.value)} />
  )
  return (
    <section className="picker-side" aria-labelledby={id}>
      <div className="picker-head">
        <h3 id={id}>{headings[kind]}</h3>
        <p>{total.toLocaleString('en')} found</p>
      </div>
      {items.length > 0 ? (
        <ul className="picker-list">{items.map(row)}</ul>
      ) : (
        <p className="picker-none">
          {find === '' ? `No ${kind}s have been published yet.` : `Nothing found for “${find}”`}
        </p>
      )}
      {pages > 1 && (
        <div className="picker-pages" role="group" aria-label={`Pages of ${kind}s`}>
          <Turn to={page - 1} isDisabled={page === 1} kind={kind} />
          <span className="num">
            {page} of {pages.toLocaleString('en')}
          </span>
          <Turn to={page + 1} isDisabled={page === pages} kind={kind} isNext />
        </div>
      )}
      {elsewhere.length > 0 && (
        <>
          <h4 className="mt-4 mb-2 font-semibold">Also selected</h4>
          <ul className="picker-list">{elsewhere.map(row)}</ul>
        </>
      )}
    </section>
  )
}

type TurnProps = { to: number; isDisabled: boolean; kind: AssignList['kind']; isNext?: boolean }

function Turn({ to, isDisabled, kind, isNext = false }: TurnProps) {
  return (
    <SubmitButton
      className="btn--quiet"
      intent={`${kind}:${to}`}
      busyWord="Loading"
      disabled={isDisabled}
      title={isNext ? 'Next page' : 'Previous page'}
    >
      <span className="sr-only">
        {isNext ? 'Next' : 'Previous'} page of {kind}s
      </span>
      <Icon name={isNext ? 'right' : 'left'} />
    </SubmitButton>
  )
}

type ItemProps = { item: AssignItem; kind: AssignList['kind']; people: number; isTicked: boolean }

/** What everybody has already can be taken back, or ticked to give it another due date or note. */
function Item({ item: { value, name, assigned, outside }, kind, people, isTicked }: ItemProps) {
  const { assignVerb, assignedLabel } = useShell().brand
  const unassign = `Un${assignVerb.toLowerCase()}`
  const hasEverybody = assigned === people
  const whoHasIt = people === 1 ? assignedLabel : `${assignedLabel} to all`
  const details = (
    <span className="picker-name">
      <span>
        {name} {outside > 0 && <Warning outside={outside} people={people} />}
      </span>
      {assigned > 0 && (
        <span className="muted small">
          {hasEverybody
            ? whoHasIt
            : `${assignedLabel} to ${assigned.toLocaleString('en')} of ${people.toLocaleString('en')} people`}
        </span>
      )}
    </span>
  )
  return (
    <li>
      {/* Only for the sentence that the browser shows if the server does not answer. */}
      <input type="hidden" name={`name:${value}`} value={`${kind}: ${name}`} />
      <label className="tick flex-1">
        <input type="checkbox" name="item" value={value} defaultChecked={isTicked} />
        {details}
      </label>
      {hasEverybody && (
        <SubmitButton className="btn--quiet" intent={`unassign:${value}`} busyWord="Saving">
          {unassign}
          <span className="sr-only"> {name}</span>
        </SubmitButton>
      )}
    </li>
  )
}

function Warning({ outside, people }: { outside: number; people: number }) {
  const who =
    people === 1
      ? "User doesn't"
      : `${outside.toLocaleString('en')} of ${people.toLocaleString('en')} users ${outside === 1 ? "doesn't" : "don't"}`
  return <AccessWarning text={`${who} have access to this item`} />
}

function NobodySelected() {
  const refusal = useRefusal()
  // The selection is no field that somebody could correct here.
  const problem = useMemo(() => refusal && { ...refusal, fieldErrors: {} }, [refusal])
  return (
    <RouteDialog title="Nobody is selected" size="md" closeTo={closeTo} footer={<CloseFooter closeTo={closeTo} />}>
      {problem ? <FormErrors refusal={problem} /> : <p>Select one or more learners in the table first.</p>}
    </RouteDialog>
  )
}
