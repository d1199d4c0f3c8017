import { Form, Link } from '@remix-run/react'
import { longestSearch } from '~/lib/search-query.ts'
import { Icon } from '../../ui/icon.tsx'
import type { AccessAnswer, FoundEntry, AccessQuestion as Question } from './view.ts'

const path = '/dashboard/groups/why/'

/** Asks for a person and an item, and explains whether the person can see it. Works without JavaScript. */
export function AccessQuestion({ kinds, kind, who, what, person, people, item, items, ...rest }: Question) {
  return (
    <div className="records">
      <div>
        <p className="mb-2">
          <Link to="/dashboard/groups/">Groups</Link>
        </p>
        <h1>Why can or can’t somebody see something?</h1>
      </div>
      <section aria-labelledby="person">
        <h2 id="person">Person</h2>
        {person ? (
          <Chosen name={person.name} to={`/dashboard/users/${person.uid}/`} other={rest.otherPerson} label="person" />
        ) : (
          <>
            <Form method="get" action={path} className="flex flex-wrap items-end gap-3">
              {item && <Hidden fields={{ kind, item: item.uid }} />}
              <SearchField id="who" label="Name or email address" value={who} />
              <button className="btn btn--secondary" type="submit">
                Find person
              </button>
            </Form>
            <Found search={who} entries={people} noun="person" />
          </>
        )}
      </section>
      <section aria-labelledby="item">
        <h2 id="item">Content</h2>
        {item ? (
          <Chosen name={item.name} to={`/dashboard/${kind}/${item.uid}/`} other={rest.otherItem} label="item" />
        ) : (
          <>
            <Form method="get" action={path} className="flex flex-wrap items-end gap-3">
              {person && <Hidden fields={{ person: person.uid }} />}
              <div className="field">
                <label htmlFor="kind">Kind</label>
                <select id="kind" className="input" name="kind" defaultValue={kind}>
                  {kinds.map(({ value, label }) => (
                    <option key={value} value={value}>
                      {label}
                    </option>
                  ))}
                </select>
              </div>
              <SearchField id="what" label="Name" value={what} />
              <button className="btn btn--secondary" type="submit">
                Find content
              </button>
            </Form>
            <Found search={what} entries={items} noun="content" />
          </>
        )}
      </section>
      {rest.answer && <Answer answer={rest.answer} />}
    </div>
  )
}

function Hidden({ fields }: { fields: Record<string, string> }) {
  return Object.entries(fields).map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)
}

function SearchField({ id, label, value }: { id: string; label: string; value: string }) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {/* The key gives the field the search of the address, also after Back. */}
      <input
        key={value}
        id={id}
        className="input"
        type="search"
        name={id}
        defaultValue={value}
        maxLength={longestSearch}
      />
    </div>
  )
}

function Chosen({ name, to, other, label }: { name: string; to: string; other: string; label: string }) {
  return (
    <p className="flex flex-wrap items-center gap-3">
      <Link className="name" to={to}>
        {name}
      </Link>
      <Link to={other}>Choose another {label}</Link>
    </p>
  )
}

function Found({ search, entries, noun }: { search: string; entries: FoundEntry[]; noun: string }) {
  if (search === '') return null
  if (entries.length === 0) {
    return (
      <p className="mt-4" role="status">
        No {noun} found for “{search}”.
      </p>
    )
  }
  return (
    <ul className="sortable mt-4">
      {entries.map(({ name, more, to }) => (
        <li key={to} className="sortable-row">
          <span className="sortable-name">
            <Link className="name" to={to}>
              {name}
            </Link>{' '}
            <span className="muted small">{more}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}

function Answer({ answer: { isPositive, verdict, reasons } }: { answer: AccessAnswer }) {
  return (
    <section aria-labelledby="answer">
      <h2 id="answer">Answer</h2>
      <div className={`notice ${isPositive ? 'notice--success' : 'notice--warning'}`}>
        <Icon name={isPositive ? 'check' : 'alert'} />
        <p>
          <strong>{verdict}</strong>
        </p>
      </div>
      <ul className="formstack mt-4">
        {reasons.map(({ isMet, text }) => (
          <li key={text} className="flex gap-2">
            <Icon name={isMet === null ? 'info' : isMet ? 'check' : 'close'} />
            <span>
              {isMet !== null && <span className="sr-only">{isMet ? 'Holds: ' : 'Does not hold: '}</span>}
              {text}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
