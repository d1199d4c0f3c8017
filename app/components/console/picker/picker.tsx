import { useFetcher } from '@remix-run/react'
import { createContext, type ReactNode, useContext, useEffect, useId, useMemo, useRef } from 'react'
import { longestPickSearch, pickerNames } from '~/forms/picked.ts'
import { FieldError } from '../../ui/fields.tsx'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { type Chosen, usePicked } from './use-picked.ts'
import type { PickerPage, PickerView, PickFilter, PickItem } from './view.ts'

type Noun = [one: string, many: string]

type Props = {
  /** The field of the form that holds the chosen uids. */
  name: string
  view: PickerView
  /** The maximum number of chosen items. */
  most: number
  noun: Noun
  /** The route whose loader returns pages of candidates (`loadPicker`). */
  source: string
  error?: string
  /** Items that are in the list already. They cannot be chosen. */
  taken?: PickItem[]
  /** Receives the chosen items. The function must stay the same between renders. */
  onChange?: (items: PickItem[]) => void
}

/**
 * Two lists in a form: the candidates, which the server searches and pages, and the chosen items. The form posts the
 * uids of the chosen items as `name`. Without JavaScript each button posts the form (`answerPicker`), which keeps the
 * chosen items.
 */
export function Picker({ name, view, most, noun, source, error, taken = nothing, onChange }: Props) {
  const names = pickerNames(name)
  const chosen = usePicked(view, most)
  useEffect(() => onChange?.(chosen.items), [chosen.items, onChange])
  const candidates = useCandidates(view, source)
  const { isBusy, search, narrow, turn } = candidates
  const page = useMemo(() => withoutTaken(candidates.page, taken), [candidates.page, taken])
  const isFree = ({ uid }: PickItem) => taken.every((item) => item.uid !== uid)
  const { isBusy: isAdding, added, addAll } = useAddAll(source, (items) => chosen.add(items.filter(isFree)))
  const { leftOut = 0 } = [added, view].find((answer) => answer && isSameSearch(answer, page)) ?? {}
  const id = useId()
  const isFull = chosen.items.length >= most
  const addable = addableOf(page, [added, view])
  const isAllAdded = addable !== null && addable.length > 0 && addable.every(({ uid }) => chosen.uids.has(uid))
  return (
    <buttonName.Provider value={names.button}>
      <div className="picker" role="group" aria-describedby={error ? `${id}-error` : undefined}>
        <input type="hidden" name={name} value={writeUids(chosen.items)} />
        <input type="hidden" name={names.cleared} value={writeUids(chosen.cleared)} />
        <input type="hidden" name={names.page} value={page.page} />
        <section className="picker-side" aria-label={`All ${noun[1]}`}>
          <SearchField
            key={view.search}
            names={names}
            value={view.search}
            filters={view.filters}
            noun={noun}
            onSearch={search}
            onNarrow={narrow}
          />
          <div className="picker-head">
            <p role="status" aria-busy={isBusy}>
              {countInWords(page.total, noun)} found
              {leftOut > 0 && `, ${leftOut.toLocaleString('en')} of which cannot be chosen`}
            </p>
            {page.total > 0 && (
              <StepButton
                step="all"
                className="btn btn--quiet"
                isDisabled={isFull || isAdding || isAllAdded}
                onPress={() => addAll(page)}
              >
                {isAllAdded
                  ? allAddedInWords(addable.length)
                  : page.total > most
                    ? `Add the first ${most.toLocaleString('en')}`
                    : 'Add all'}
              </StepButton>
            )}
          </div>
          <Candidates page={page} chosen={chosen} isFull={isFull} most={most} />
          <Pages page={page} onTurn={turn} />
        </section>
        <ChosenList chosen={chosen} most={most} noun={noun} />
        <FieldError id={id} error={error} />
      </div>
    </buttonName.Provider>
  )
}

const nothing: PickItem[] = []

function withoutTaken(page: PickerPage, taken: PickItem[]): PickerPage {
  const uids = new Set(taken.map(({ uid }) => uid))
  const candidates = page.candidates.map((item) =>
    uids.has(item.uid) ? { ...item, problem: item.problem ?? 'Already in the list' } : item,
  )
  return { ...page, candidates }
}

/**
 * Returns all results that can be chosen: those of the page if it is the only one, else those of the last "Add all" of
 * the same search. Null if they are not known.
 */
function addableOf(page: PickerPage, answers: (PickerView | undefined)[]): PickItem[] | null {
  if (page.candidates.length === page.total) return page.candidates.filter(({ problem }) => !problem)
  return answers.find((answer) => answer?.all && isSameSearch(answer, page))?.all ?? null
}

function isSameSearch(one: PickerPage, other: PickerPage): boolean {
  return searchOf(one).toString() === searchOf(other).toString()
}

/** The query of the source that finds these candidates. */
function searchOf({ search, filters = [] }: Pick<PickerPage, 'search' | 'filters'>): URLSearchParams {
  return new URLSearchParams([['search', search], ...filters.map(({ name, value }) => [name, value])])
}

function allAddedInWords(count: number): string {
  return count === 1 ? 'It is added' : `All ${count.toLocaleString('en')} are added`
}

function writeUids(items: PickItem[]): string {
  return items.map(({ uid }) => uid).join(' ')
}

function countInWords(count: number, [one, many]: Noun): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

const pause = 300

/** Fetches the page of candidates to show. The browser's address stays the same. */
function useCandidates(view: PickerPage, source: string) {
  const fetcher = useFetcher<PickerPage>()
  const page = fetcher.data ?? view
  const wanted = useRef<Pick<PickerPage, 'search' | 'filters' | 'page'>>(view)
  const timer = useRef<ReturnType<typeof setTimeout>>()
  useEffect(() => () => clearTimeout(timer.current), [])
  const load = () => fetcher.load(`${source}?${searchOf(wanted.current)}&page=${wanted.current.page}`)
  return {
    page,
    isBusy: fetcher.state !== 'idle',
    search: (text: string) => {
      clearTimeout(timer.current)
      wanted.current = { ...wanted.current, search: text, page: 1 }
      timer.current = setTimeout(load, pause)
    },
    narrow: (name: string, value: string) => {
      const filters = wanted.current.filters?.map((filter) => (filter.name === name ? { ...filter, value } : filter))
      wanted.current = { ...wanted.current, filters, page: 1 }
      load()
    },
    turn: (number: number) => {
      wanted.current = { ...page, page: number }
      load()
    },
  }
}

/** Adds all candidates found that can be chosen. */
function useAddAll(source: string, onFound: (items: PickItem[]) => void) {
  const fetcher = useFetcher<PickerView>()
  const add = useRef(onFound)
  add.current = onFound
  const found = fetcher.data?.all
  useEffect(() => {
    if (found) add.current(found)
  }, [found])
  return {
    isBusy: fetcher.state !== 'idle',
    /** The answer with the last items added. */
    added: fetcher.data,
    addAll: (page: PickerPage) => fetcher.load(`${source}?${searchOf(page)}&all=1`),
  }
}

type SearchProps = {
  names: ReturnType<typeof pickerNames>
  value: string
  filters?: PickFilter[]
  noun: Noun
  onSearch: (text: string) => void
  onNarrow: (name: string, value: string) => void
}

/** The search field and the filters. Its button is the first in the form, so that Enter searches without JavaScript. */
function SearchField({ names, value, filters = [], noun, onSearch, onNarrow }: SearchProps) {
  const id = useId()
  const isHydrated = useHydrated()
  const filterFields = filters.map((filter) => (
    <div key={filter.name} className="field">
      <label htmlFor={`${id}-${filter.name}`}>{filter.label}</label>
      <select
        id={`${id}-${filter.name}`}
        className="input"
        name={names.filter(filter.name)}
        defaultValue={filter.value}
        onChange={(event) => onNarrow(filter.name, event.currentTarget.value)}
      >
        <option value="">All</option>
        {filter.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  ))
  return (
    <div className="field">
      {filterFields.length > 0 && <div className="picker-filters">{filterFields}</div>}
      <label htmlFor={id}>Search {noun[1]}</label>
      <div className="picker-search">
        <input
          id={id}
          className="input"
          type="search"
          name={names.search}
          defaultValue={value}
          maxLength={longestPickSearch}
          autoComplete="off"
          onChange={(event) => onSearch(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
        {!isHydrated && (
          <button className="btn btn--secondary" type="submit" name={names.button} value="search">
            Search
          </button>
        )}
      </div>
    </div>
  )
}

type StepProps = {
  /** The value that `answerPicker` reads. */
  step: string
  className: string
  label?: string
  isDisabled?: boolean
  onPress: () => void
  children: ReactNode
}

/** The name of the picker's buttons. */
const buttonName = createContext('')

/** A button that stays focusable while it is disabled, so that the focus is not lost. */
function StepButton({ step, className, label, isDisabled, onPress, children }: StepProps) {
  return (
    <button
      type="submit"
      className={className}
      name={useContext(buttonName)}
      value={step}
      aria-label={label}
      aria-disabled={isDisabled || undefined}
      onClick={(event) => {
        event.preventDefault()
        if (!isDisabled) onPress()
      }}
    >
      {children}
    </button>
  )
}

type CandidatesProps = { page: PickerPage; chosen: Chosen; isFull: boolean; most: number }

function Candidates({ page, chosen, isFull, most }: CandidatesProps) {
  if (page.candidates.length === 0)
    return <p className="picker-none">Nothing found{page.search && ` for “${page.search}”`}</p>
  return (
    <ul className="picker-list">
      {page.candidates.map((item) => (
        <li key={item.uid}>
          <ItemName item={item} problem={item.problem} />
          {chosen.uids.has(item.uid) ? (
            <StepButton
              step={`remove:${item.uid}`}
              className="btn btn--quiet is-added"
              label={`Added: ${item.name}. Press to remove`}
              onPress={() => chosen.remove(item.uid)}
            >
              <Icon name="check" />
              Added
            </StepButton>
          ) : (
            !item.problem && (
              <StepButton
                step={`add:${item.uid}`}
                className="btn btn--secondary"
                label={isFull ? `Add ${item.name}: you can choose at most ${most}` : `Add ${item.name}`}
                isDisabled={isFull}
                onPress={() => chosen.add([item])}
              >
                <ConsoleIcon name="plus" />
                Add
              </StepButton>
            )
          )}
        </li>
      ))}
    </ul>
  )
}

function ItemName({ item, problem = null }: { item: PickItem; problem?: string | null }) {
  return (
    <span className="picker-name">
      {item.name}
      {(problem ?? item.detail) && <span className="muted small">{problem ?? item.detail}</span>}
    </span>
  )
}

function Pages({ page, onTurn }: { page: PickerPage; onTurn: (page: number) => void }) {
  const last = Math.max(1, Math.ceil(page.total / page.size))
  if (last === 1) return null
  const button = (label: string, to: number, icon: 'left' | 'right') => (
    <StepButton
      step={`page:${to}`}
      className="iconbtn"
      label={label}
      isDisabled={to < 1 || to > last}
      onPress={() => onTurn(to)}
    >
      <Icon name={icon} />
    </StepButton>
  )
  return (
    <div className="picker-pages" role="group" aria-label="Pages">
      {button('Previous page', page.page - 1, 'left')}
      <span className="num">
        {page.page} of {last.toLocaleString('en')}
      </span>
      {button('Next page', page.page + 1, 'right')}
    </div>
  )
}

function ChosenList({ chosen, most, noun }: { chosen: Chosen; most: number; noun: Noun }) {
  const { items, cleared } = chosen
  const heading = useRef<HTMLHeadingElement>(null)
  return (
    <section className="picker-side" aria-label={`Chosen ${noun[1]}`}>
      <div className="picker-head">
        <h2 ref={heading} tabIndex={-1}>
          Chosen
        </h2>
        <p role="status">
          {countInWords(items.length, noun)}
          {items.length >= most && ', the maximum'}
        </p>
        {items.length > 0 && (
          <StepButton step="clear" className="btn btn--quiet" onPress={chosen.clear}>
            Clear
          </StepButton>
        )}
      </div>
      {cleared.length > 0 && (
        <p className="notice">
          <span>{countInWords(cleared.length, noun)} removed.</span>
          <StepButton step="undo" className="btn btn--quiet" onPress={chosen.undo}>
            Undo
          </StepButton>
        </p>
      )}
      {items.length === 0 ? (
        <p className="picker-none">Nothing chosen yet.</p>
      ) : (
        <ul className="picker-list picker-list--chosen">
          {items.map((item) => (
            <li key={item.uid}>
              <ItemName item={item} />
              <StepButton
                step={`remove:${item.uid}`}
                className="iconbtn"
                label={`Remove ${item.name}`}
                onPress={() => {
                  // The button disappears with its row, so the heading takes the focus.
                  heading.current?.focus()
                  chosen.remove(item.uid)
                }}
              >
                <Icon name="close" />
              </StepButton>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
