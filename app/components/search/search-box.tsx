import { Form, useLocation, useNavigate } from '@remix-run/react'
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { type SearchType, searchTypeOfSection } from '~/lib/search-query.ts'
import { useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { kindLabels } from './kinds.ts'
import { useSuggestions } from './use-suggestions.ts'

type Props = { className?: string; label?: string; type?: SearchType }

/**
 * The search box of the bars and of the search page. It is a plain form to /search/, with the type of the current
 * section. With JavaScript it is a combobox that suggests titles. The search page sets `type` and `label`.
 */
export function SearchBox({ className, label = 'Search', ...props }: Props) {
  const { pathname, search } = useLocation()
  const type = props.type ?? searchTypeOfSection(pathname)
  const navigate = useNavigate()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const isHydrated = useHydrated()
  const [text, setText] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const suggestions = useSuggestions(text, type)
  const isShown = isOpen && suggestions.length > 0
  const chosen = isShown ? suggestions[active] : undefined
  // On the search page the box shows the query; on other pages it is empty.
  const asked = pathname === '/search/' ? (new URLSearchParams(search).get('query') ?? '') : ''
  const shownFor = useRef<string | null>(null)
  useEffect(() => {
    const isFirst = shownFor.current === null
    shownFor.current = `${pathname}?${asked}`
    // Keeps text that was typed before hydration.
    if (isFirst) return
    if (input.current) input.current.value = asked.slice(0, 100)
    setText('')
    setIsOpen(false)
  }, [asked, pathname])

  const onSubmit = (event: FormEvent) => {
    if (chosen) {
      event.preventDefault()
      navigate(chosen.address)
    } else if (!input.current?.value.trim()) event.preventDefault()
    setIsOpen(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isShown) {
      event.preventDefault()
      setIsOpen(false)
      setActive(-1)
    }
    if ((event.key !== 'ArrowDown' && event.key !== 'ArrowUp') || suggestions.length === 0) return
    event.preventDefault()
    setIsOpen(true)
    const step = event.key === 'ArrowDown' ? 1 : -1
    // Beyond both ends of the list, the text itself is active again.
    const places = suggestions.length + 1
    setActive(((active + 1 + step + places) % places) - 1)
  }
  return (
    <Form
      action="/search/"
      role="search"
      aria-label={label}
      className={`topsearch ${className ?? ''}`}
      onSubmit={onSubmit}
    >
      <label className="sr-only" htmlFor={`${id}-query`}>
        {label}
      </label>
      <input type="hidden" name="type" value={type} />
      <input
        ref={input}
        id={`${id}-query`}
        type="search"
        name="query"
        required
        maxLength={100}
        placeholder="Search"
        autoComplete="off"
        defaultValue={asked.slice(0, 100)}
        {...(isHydrated && {
          role: 'combobox',
          'aria-expanded': isShown,
          'aria-controls': `${id}-list`,
          'aria-autocomplete': 'list',
          'aria-activedescendant': chosen ? `${id}-${active}` : undefined,
        })}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setIsOpen(true)
          setActive(-1)
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setIsOpen(false)}
      />
      <button type="submit" className="iconbtn" aria-label="Search">
        <Icon name="search" />
      </button>
      <div id={`${id}-list`} role="listbox" aria-label="Suggestions" className="suggestions" hidden={!isShown}>
        {suggestions.map((suggestion, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys and keeps the focus
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          <div
            key={suggestion.address}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => {
              setIsOpen(false)
              navigate(suggestion.address)
            }}
          >
            <span>{suggestion.title}</span>
            <span className="kind">{kindLabels[suggestion.kind].one}</span>
          </div>
        ))}
      </div>
      <span role="status" className="sr-only">
        {isShown ? `${suggestions.length} ${suggestions.length === 1 ? 'suggestion' : 'suggestions'}` : ''}
      </span>
    </Form>
  )
}
