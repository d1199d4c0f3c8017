import { Form, Link } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { BeyondTheList, Empty } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { Pages } from '../ui/pages.tsx'
import { groupsOfLetters, Letters } from './letters.tsx'

type Term = { uid: string; slug: string; name: string; definition: string; letter: string }

type Props = {
  glossary: {
    headline: string
    description: string
    letters: { letter: string; total: number }[]
    terms: Term[]
    total: number
    page: number
    size: number
    selected: { uid: string } | null
  }
  search: string
  letter: string | null
}

export function Glossary({ glossary, search, letter }: Props) {
  const { headline, description, letters, terms, total, page, size, selected } = glossary
  const choice: Record<string, string> = search ? { query: search } : letter ? { letter } : {}
  return (
    <div className="wrap pb-16">
      <header className="pagehead">
        {headline && !/glossary/i.test(headline) && <p className="eyebrow">Glossary</p>}
        <h1>{headline || 'Glossary'}</h1>
        <p className="lead muted">{description}</p>
        <SearchTerms search={search} />
      </header>
      {letters.length > 0 && (
        <Letters letters={letters} current={search ? null : (letter ?? 'all')} to={addressOfLetter} />
      )}
      <div role="status">
        {search && terms.length > 0 && (
          <p className="muted mb-4">
            {total} {total === 1 ? 'term' : 'terms'} for “{search}”. <Link to="/glossary/">Show all terms</Link>
          </p>
        )}
        {search && terms.length === 0 && (page === 1 || letters.length === 0) && (
          <NoTerms search={search} isEmpty={letters.length === 0} />
        )}
      </div>
      {groupsOfLetters(terms).map((group) => (
        <section key={group.terms[0]?.uid} className="terms" aria-labelledby={`letter-${group.terms[0]?.slug}`}>
          <h2 id={`letter-${group.terms[0]?.slug}`}>{group.letter}</h2>
          <dl>
            {group.terms.map((term) => (
              <TermEntry key={term.uid} term={term} isSelected={term.uid === selected?.uid} />
            ))}
          </dl>
        </section>
      ))}
      <Pages
        page={page}
        size={size}
        total={total}
        to={(page) => `/glossary/?${new URLSearchParams({ ...choice, page: String(page) })}`}
      />
      {terms.length === 0 &&
        (page > 1 && letters.length > 0 ? (
          <BeyondTheList icon="book" to={`/glossary/?${new URLSearchParams(choice)}`} />
        ) : (
          !search && <NoTerms search={search} isEmpty={letters.length === 0} />
        ))}
    </div>
  )
}

function addressOfLetter(letter: string | null): string {
  return letter === null ? '/glossary/' : `/glossary/?${new URLSearchParams({ letter })}`
}

function SearchTerms({ search }: { search: string }) {
  const input = useRef<HTMLInputElement>(null)
  // A link or Back can change the search. The field stays mounted, so that it keeps the focus.
  useEffect(() => {
    if (input.current) input.current.value = search
  }, [search])
  return (
    <Form action="/glossary/" role="search" aria-label="Glossary" className="termsearch">
      <label className="sr-only" htmlFor="glossary-query">
        Search terms
      </label>
      <input
        ref={input}
        id="glossary-query"
        className="input"
        type="search"
        name="query"
        defaultValue={search}
        placeholder="Search terms"
        maxLength={100}
        autoComplete="off"
      />
      <button type="submit" className="iconbtn" aria-label="Search terms">
        <Icon name="search" />
      </button>
    </Form>
  )
}

/**
 * A term. The term in the page's address scrolls into view and takes the focus; without JavaScript, `autofocus` does
 * it.
 */
function TermEntry({ term, isSelected }: { term: Term; isSelected: boolean }) {
  const entry = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isSelected) return
    // Waits a frame, because root first moves the focus to the beginning of a new page.
    const frame = requestAnimationFrame(() => {
      entry.current?.scrollIntoView({ block: 'center' })
      entry.current?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [isSelected])
  return (
    <div
      ref={entry}
      id={term.slug}
      className={isSelected ? 'is-target' : undefined}
      tabIndex={isSelected ? -1 : undefined}
      // biome-ignore lint/a11y/noAutofocus: the term is what this address is about
      autoFocus={isSelected || undefined}
    >
      <dt>
        {term.name}
        <Link
          className="iconbtn"
          to={`/glossary/${term.slug}/`}
          aria-label={`Link to ${term.name}`}
          aria-current={isSelected ? 'page' : undefined}
        >
          <Icon name="link" />
        </Link>
      </dt>
      <dd>{term.definition}</dd>
    </div>
  )
}

function NoTerms({ search, isEmpty }: { search: string; isEmpty: boolean }) {
  if (isEmpty) {
    return (
      <Empty icon="book" title="There are no terms yet">
        <p>Soon this page will explain the words that courses and modules use.</p>
      </Empty>
    )
  }
  return (
    <Empty icon="search" title={`No results found for "${search}"`}>
      <p>Try a shorter word, or only the first letters.</p>
      <Link className="btn btn--secondary" to="/glossary/">
        Show all terms
      </Link>
    </Empty>
  )
}
