import { Link, useLocation } from '@remix-run/react'
import { copyLink } from '~/browser/clipboard.ts'
import { glossaryLimits, glossarySettingsForm, settingsFormId } from '~/forms/glossary.ts'
import { termsTable } from '~/forms/glossary-tables.ts'
import { readTableQuery, tableSearch } from '~/lib/table-query.ts'
import { groupsOfLetters, Letters } from '../../glossary/letters.tsx'
import { Empty } from '../../ui/empty.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Pages } from '../../ui/pages.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { SearchForm } from '../grid/search-form.tsx'
import { addressOf } from '../grid/table-address.tsx'
import type { TableAddress } from '../grid/types.ts'
import { DialogLink } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { GlossaryPageView, SettingsForm, TermRow } from './view.ts'

const path = '/dashboard/glossary/'

type Props = { glossary: GlossaryPageView; settings: SettingsForm }

/** The heading of the glossary, and its terms under their letters. */
export function GlossaryManager({ glossary, settings }: Props) {
  const { search } = useLocation()
  const query = readTableQuery(new URLSearchParams(search), termsTable)
  const address: TableAddress = { table: termsTable, path, search, query }
  const { letters, terms, total, page, size } = glossary
  const [letter = 'all'] = query.filters.letter ?? []
  return (
    <>
      <header>
        <h1>Manage Glossary</h1>
      </header>
      {settings ? <EditSettings settings={settings} list={tableSearch(search)} /> : <Settings {...glossary} />}
      <div className="flex flex-wrap items-center gap-3 mb-4">
        <SearchForm label="Search terms and definitions" {...address} />
        <span className="flex flex-wrap gap-3 ml-auto">
          <a className="btn btn--secondary" href={`${path}export/`} download>
            <Icon name="download" />
            Export file
          </a>
          <DialogLink className="btn btn--secondary" to={`${path}import/`}>
            <ConsoleIcon name="upload" />
            Import file
          </DialogLink>
          <DialogLink className="btn btn--primary" to={`${path}new/`}>
            <ConsoleIcon name="plus" />
            Add Term
          </DialogLink>
        </span>
      </div>
      {letters.length > 0 && (
        // Smaller, so that the alphabet fits in one line beside the navigation.
        <div className="lg:[--tap:2.5rem]">
          <Letters
            letters={letters}
            current={query.search ? null : letter}
            to={(one) => addressOf(address, { search: '', page: 1, filters: one === null ? {} : { letter: [one] } })}
          />
        </div>
      )}
      <p className="muted mb-4" role="status">
        {query.search && terms.length > 0 && `${total} ${total === 1 ? 'term' : 'terms'} for “${query.search}”.`}
      </p>
      {groupsOfLetters(terms).map((group) => (
        <section key={group.terms[0]?.uid} className="terms" aria-labelledby={`letter-${group.terms[0]?.uid}`}>
          <h2 id={`letter-${group.terms[0]?.uid}`}>{group.letter}</h2>
          <dl>
            {group.terms.map((term) => (
              <Term key={term.uid} term={term} />
            ))}
          </dl>
        </section>
      ))}
      <Pages page={page} size={size} total={total} to={(page) => addressOf(address, { page })} />
      {terms.length === 0 && <NoTerms search={query.search} isEmpty={letters.length === 0} />}
    </>
  )
}

function Settings({ headline, description }: { headline: string; description: string }) {
  const { search } = useLocation()
  const params = new URLSearchParams(tableSearch(search))
  params.set('edit', 'heading')
  return (
    <section className="box mb-6" aria-label="Heading of the glossary">
      <dl>
        <dt className="muted small">Headline</dt>
        <dd className="mb-3">{headline || <span className="muted">None yet</span>}</dd>
        <dt className="muted small">Description</dt>
        <dd>{description || <span className="muted">None yet</span>}</dd>
      </dl>
      <p className="mt-4">
        <Link className="btn btn--secondary" to={`${path}?${params}`} preventScrollReset>
          <ConsoleIcon name="edit" />
          Edit
        </Link>
      </p>
    </section>
  )
}

function EditSettings({ settings, list }: { settings: NonNullable<SettingsForm>; list: string }) {
  const refusal = useRefusal()
  const revision = refusal?.values.revision ?? String(settings.revision)
  const formId = settingsFormId(revision)
  return (
    <section className="box mb-6" aria-label="Heading of the glossary">
      <ConsoleForm
        key={formId}
        id={formId}
        schema={glossarySettingsForm}
        defaults={settings}
        guard={{ noun: 'heading', mode: 'editing' }}
        className="formstack"
      >
        <input type="hidden" name="revision" value={revision} />
        <TextField name="headline" label="Headline" maxLength={glossaryLimits.headline} hasCounter />
        <TextArea name="description" label="Description" maxLength={glossaryLimits.description} />
        <p className="flex gap-3">
          <SubmitButton form={formId} intent="save" className="btn--primary" busyWord="Saving">
            Save
          </SubmitButton>
          <Link className="btn btn--quiet" to={path + list} preventScrollReset>
            Cancel
          </Link>
        </p>
      </ConsoleForm>
    </section>
  )
}

function Term({ term }: { term: TermRow }) {
  const { uid, name, definition, address } = term
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4">
      <dt>{name}</dt>
      <dd className="col-start-1">{definition}</dd>
      <dd className="col-start-2 row-start-1 row-span-2 flex">
        <DialogLink className="iconbtn" to={`${path}${uid}/`} aria-label={`Edit ${name}`} title="Edit" discover="none">
          <ConsoleIcon name="edit" />
        </DialogLink>
        {/* Without JavaScript it opens the term, so that its address can be copied there. */}
        <a
          className="iconbtn"
          href={address}
          aria-label={`Copy the link to ${name}`}
          title="Copy link"
          onClick={(event) => {
            event.preventDefault()
            copyLink(address)
          }}
        >
          <Icon name="link" />
        </a>
        <DialogLink
          className="iconbtn"
          to={`${path}${uid}/delete/`}
          aria-label={`Remove ${name}`}
          title="Remove"
          discover="none"
        >
          <ConsoleIcon name="trash" />
        </DialogLink>
      </dd>
    </div>
  )
}

function NoTerms({ search, isEmpty }: { search: string; isEmpty: boolean }) {
  if (isEmpty) {
    return (
      <Empty icon="book" title="There are no terms yet">
        <p>Add the first term, or import a file with the columns Term and Definition.</p>
      </Empty>
    )
  }
  return (
    <Empty icon="search" title={`No terms found for “${search}”`}>
      <Link className="btn btn--secondary" to={path}>
        Show all terms
      </Link>
    </Empty>
  )
}
