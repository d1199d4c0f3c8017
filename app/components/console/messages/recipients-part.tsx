import { Form, useLocation } from '@remix-run/react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { answerFilters, chosenTable, mostTicked, recipientsTable } from '~/forms/recipients.ts'
import { tableSearch, writeTableQuery } from '~/lib/table-query.ts'
import { useShell } from '../../layout/shell.ts'
import { Options } from '../../ui/choice-fields.tsx'
import { CsrfField } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Pages } from '../../ui/pages.tsx'
import { EmailAddress } from '../email-address.tsx'
import { type Column, DataGrid, type Filter } from '../grid/data-grid.tsx'
import { sumInWords } from './sum-in-words.ts'
import type { CandidateRow, RecipientsView } from './view.ts'

type Props = {
  /** The address of the dialog, and of what changes the choice. */
  path: string
  action: string
  view: RecipientsView
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
}

/**
 * Step 2: those who are chosen, and the people to choose from. The form, which names the choice, is not around it. The
 * audience and the chosen people come first, because on a phone the list is as long as ten screens.
 */
export function RecipientsPart({ path, action, view, selected, onSelect }: Props) {
  const { candidates, leftOut, whyLeftOut, isFoundAdded, options, changes } = view
  const filters = useMemo(() => filtersOf(options), [options])
  const { search } = useLocation()
  // What was ticked has been added, or the choice was changed in another way.
  const [seen, setSeen] = useState(changes)
  useEffect(() => {
    if (seen === changes) return
    setSeen(changes)
    onSelect(new Set())
  }, [seen, changes, onSelect])
  return (
    <div className="grid gap-6 mt-6 lg:grid-cols-[18rem_minmax(0,1fr)]">
      <ChosenPeople action={action} view={view} />
      <section aria-label="People to choose from" className="min-w-0">
        <DataGrid
          table={recipientsTable}
          label="Recipients"
          path={path}
          source={`${action}uids/`}
          page={candidates}
          columns={columns}
          filters={filters}
          rowId={({ uid }) => uid}
          rowName={({ name }) => name}
          searchLabel="Search name or email"
          toolbar={<AddAll {...{ action, search, leftOut, whyLeftOut, isFoundAdded }} total={candidates.total} />}
          empty={null}
          selection={{
            selected,
            onChange: onSelect,
            whyNot: ({ isAdded, obstacle }) => (isAdded ? 'Added already' : obstacle),
            max: mostTicked,
            action,
            isInPlace: true,
            actions: (
              <button className="btn btn--primary" type="submit" name="choose" value="add">
                Add Selected
              </button>
            ),
          }}
        />
      </section>
    </div>
  )
}

type AddAllProps = Pick<RecipientsView, 'leftOut' | 'whyLeftOut' | 'isFoundAdded'> & {
  action: string
  total: number
  search: string
}

/** Adds everybody whom the table finds. The server finds them again when the message is saved. */
function AddAll({ action, total, leftOut, whyLeftOut, isFoundAdded, search }: AddAllProps) {
  const { csrf } = useShell()
  if (total === 0) return null
  const number = (value: number) => value.toLocaleString('en')
  const all = total === 1 ? 'Add the person found' : `Add all ${number(total)} found`
  const label = leftOut === 0 ? all : `Add ${number(total - leftOut)} of ${number(total)} found`
  return (
    <Form
      method="post"
      action={action + tableSearch(search)}
      navigate={false}
      preventScrollReset
      onSubmit={(event) => isFoundAdded && event.preventDefault()}
    >
      <CsrfField token={csrf} />
      {leftOut < total && (
        // Not `disabled`, which would remove the focus.
        <button
          className="btn btn--secondary"
          type="submit"
          name="choose"
          value="found"
          aria-disabled={isFoundAdded || undefined}
        >
          {isFoundAdded ? 'All found have been added' : label}
        </button>
      )}
      {leftOut > 0 && (
        <span className="block muted small">
          {leftOut === 1 ? 'One person' : `${number(leftOut)} people`} cannot be added: {whyLeftOut}.
        </span>
      )}
    </Form>
  )
}

function ChosenPeople({ action, view: { chosen, audienceChoices } }: { action: string; view: RecipientsView }) {
  const { csrf } = useShell()
  const { search } = useLocation()
  const { people, total, page, audiences, optedOut } = chosen
  const free = audienceChoices.filter(({ value }) => audiences.every(({ uid }) => uid !== value))
  const to = action + tableSearch(search)
  const heading = useFocusWhenLost(`${total} ${audiences.length}`)
  return (
    <section aria-labelledby="chosen-recipients" className="min-w-0">
      <h4 id="chosen-recipients" ref={heading} tabIndex={-1}>
        Recipients ({total.toLocaleString('en')})
      </h4>
      {people > 0 && audiences.length > 0 && <p className="muted small">{sumInWords(chosen)}</p>}
      {optedOut > 0 && (
        <p className="notice notice--warning" role="status">
          <Icon name="alert" />
          {optedOut === 1
            ? 'One person is left out, because they have opted out of emails.'
            : `${optedOut.toLocaleString('en')} people are left out, because they have opted out of emails.`}
        </p>
      )}
      <Form method="post" action={to} navigate={false} preventScrollReset>
        <CsrfField token={csrf} />
        {free.length > 0 && (
          <div className="field my-4">
            <label htmlFor="add-audience">Audience</label>
            <span className="flex gap-2">
              <select id="add-audience" name="audience" className="input min-w-0">
                <Options options={free} />
              </select>
              <button className="btn btn--secondary flex-none" type="submit" name="choose" value="audience">
                Add
              </button>
            </span>
          </div>
        )}
        {total === 0 && audiences.length === 0 && <p className="muted">Nobody has been added yet.</p>}
        {audiences.length > 0 && (
          <ul className="picker-list">
            {audiences.map(({ uid, name, people }) => (
              <li key={uid}>
                <span className="picker-name">
                  {name}
                  <span className="muted small">Audience, {people.toLocaleString('en')} people now</span>
                </span>
                <RemoveButton name="removeAudience" uid={uid} label={name} />
              </li>
            ))}
          </ul>
        )}
        {page.length > 0 && (
          <>
            <ul className="picker-list max-h-80 overflow-y-auto lg:max-h-none">
              {page.map(({ uid, name, email }) => (
                <li key={uid}>
                  <span className="picker-name">
                    {name}
                    {email !== name && (
                      <span className="muted small">
                        <EmailAddress>{email}</EmailAddress>
                      </span>
                    )}
                  </span>
                  <RemoveButton name="remove" uid={uid} label={name} />
                </li>
              ))}
            </ul>
            <button className="btn btn--quiet" type="submit" name="choose" value="clear">
              Remove all
            </button>
          </>
        )}
      </Form>
      <Pages
        page={chosen.pageNumber}
        size={chosen.pageSize}
        total={people}
        to={(page) => writeTableQuery(search, chosenTable, { page })}
      />
    </section>
  )
}

/** The heading takes the focus if the button that has changed the recipients is gone. */
function useFocusWhenLost(changed: string) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(changed)
  useEffect(() => {
    if (shown.current === changed) return
    shown.current = changed
    const timer = setTimeout(() => {
      if (document.activeElement === document.body) heading.current?.focus()
    }, 100)
    return () => clearTimeout(timer)
  }, [changed])
  return heading
}

function RemoveButton({ name, uid, label }: { name: string; uid: string; label: string }) {
  return (
    <button className="btn btn--quiet" type="submit" name={name} value={uid} aria-label={`Remove ${label}`}>
      Remove
    </button>
  )
}

function filtersOf(options: RecipientsView['options']): Filter<CandidateRow>[] {
  const filter = (name: keyof RecipientsView['options'], label: string): Filter<CandidateRow> => ({
    name,
    label,
    options: options[name],
    valuesOf: () => [],
  })
  const { institution, position, research, modality, region } = answerFilters
  return [
    filter('status', 'Status'),
    filter('group', 'Group'),
    filter('institution', institution.label),
    filter('position', position.label),
    filter('research', research.label),
    filter('modality', modality.label),
    filter('region', region.label),
    filter('due', 'Due work'),
  ]
}

const text = (id: 'institution' | 'modality' | 'research', header: string): Column<CandidateRow> => ({
  id,
  header,
  value: (row) => row[id],
  width: 150,
  grow: 1,
  isExtra: true,
  isMinor: true,
})

const columns: readonly Column<CandidateRow>[] = [
  {
    id: 'name',
    header: 'Name',
    value: ({ name }) => name,
    cell: ({ name, isAdded, obstacle }) => (
      <>
        <span className="name">{name}</span>
        {(isAdded || obstacle) && <span className="muted small">{isAdded ? 'Added' : obstacle}</span>}
      </>
    ),
    searched: ({ name, email }) => [`${name} ${email}`],
    isLead: true,
    width: 140,
    grow: 2,
  },
  {
    id: 'email',
    header: 'Email',
    value: ({ email }) => email,
    cell: ({ email }) => <EmailAddress>{email}</EmailAddress>,
    width: 170,
    grow: 2,
  },
  { id: 'status', header: 'Status', value: ({ status }) => status, width: 80 },
  { id: 'group', header: 'Group', value: ({ group }) => group, width: 90, isMinor: true },
  text('institution', 'Institution'),
  { id: 'position', header: 'Position', value: ({ position }) => position, width: 105, grow: 1, isMinor: true },
  text('research', 'Research type'),
  text('modality', 'Modality'),
  { id: 'region', header: 'Region', value: ({ region }) => region, width: 130, grow: 1, isMinor: true },
]
