import { Combobox, ComboboxInput, ComboboxOption, ComboboxOptions } from '@headlessui/react'
import { useId, useRef, useState } from 'react'
import { longestTag, readTags, tidyTag, uniqueTags, writeTags } from '~/forms/tags.ts'
import { caseKey, searchKey } from '~/lib/text.ts'
import { controlProps, Field, TextField, useFormField } from '../ui/fields.tsx'
import { useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { ConsoleIcon } from './console-icon.tsx'

type Props = {
  name: string
  label: string
  /** The existing tags. Typing creates new ones. */
  known: string[]
  hint?: string
  isOptional?: boolean
}

/**
 * Picks tags. Its field holds one line, in the format of `writeTags` and `tagsField`. Without JavaScript people edit
 * that line.
 */
export function TagPicker(props: Props) {
  return useHydrated() ? <Picker {...props} /> : <Line {...props} />
}

function Line({ name, label, hint, isOptional }: Props) {
  return (
    <TextField
      name={name}
      label={label}
      hint={`${hint ? `${hint} ` : ''}Separate tags with commas.`}
      isOptional={isOptional}
    />
  )
}

const mostShown = 50

function Picker({ name, label, known, hint, isOptional }: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const { error, defaultValue, clearError } = useFormField(name, {}, { focus: () => input.current?.focus() })
  const [tags, setTags] = useState(() => readTags(String(defaultValue ?? '')))
  const [query, setQuery] = useState('')
  const { matches, made } = choicesFor(query, known, tags)

  const choose = (chosen: string[]) => {
    setTags(uniqueTags(chosen))
    setQuery('')
    if (input.current) input.current.value = ''
    clearError()
  }
  const remove = (tag: string) => {
    setTags(tags.filter((other) => other !== tag))
    input.current?.focus()
  }
  return (
    <Field id={id} label={label} hint={hint} isOptional={isOptional} error={error}>
      <input type="hidden" name={name} value={writeTags(tags)} />
      <Combobox multiple value={tags} onChange={choose}>
        <div className="tokens" data-invalid={error ? true : undefined}>
          {tags.map((tag) => (
            <Token key={tag} tag={tag} onRemove={() => remove(tag)} />
          ))}
          <ComboboxInput
            ref={input}
            {...controlProps(id, { error, hint, isOptional })}
            maxLength={longestTag}
            autoComplete="off"
            placeholder="Add a tag"
            onChange={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Backspace' && event.currentTarget.value === '') setTags(tags.slice(0, -1))
              if (event.key !== ',' || tidyTag(query) === '') return
              event.preventDefault()
              choose([...tags, query])
            }}
            // Text that was typed but not confirmed becomes a tag, too.
            onBlur={(event) => {
              const goesToList = (event.relatedTarget as HTMLElement | null)?.closest('[role=listbox]')
              if (!goesToList && tidyTag(query) !== '') choose([...tags, query])
            }}
          />
        </div>
        {/* The list takes space below the field. As an overlay it would cover the buttons at the end of a dialog. */}
        {query !== '' && (matches.length > 0 || made !== null) && (
          <ComboboxOptions modal={false} ref={scrollIntoView} className="options options--inline">
            {matches.map((tag) => (
              <ComboboxOption key={tag} value={tag} className="option">
                <span>{tag}</span>
              </ComboboxOption>
            ))}
            {made !== null && (
              <ComboboxOption value={made} className="option">
                <ConsoleIcon name="plus" />
                <span>Add “{made}”</span>
              </ComboboxOption>
            )}
          </ComboboxOptions>
        )}
      </Combobox>
    </Field>
  )
}

function scrollIntoView(list: HTMLElement | null): void {
  list?.scrollIntoView({ block: 'nearest' })
}

/**
 * Returns the choices for a typed text: known tags that contain it and are not taken, and the text itself if it is new.
 * The same tag comes first and then those that begin with the text, because Enter chooses the first.
 */
export function choicesFor(
  query: string,
  known: string[],
  taken: string[],
): { matches: string[]; made: string | null } {
  const isTaken = new Set(taken.map(caseKey))
  const key = searchKey(query)
  const typed = tidyTag(query)
  const rankOf = (tag: string) => (caseKey(tag) === caseKey(typed) ? 0 : searchKey(tag).startsWith(key) ? 1 : 2)
  const matches = known
    .filter((tag) => !isTaken.has(caseKey(tag)) && searchKey(tag).includes(key))
    .sort((one, other) => rankOf(one) - rankOf(other))
    .slice(0, mostShown)
  const isKnown = isTaken.has(caseKey(typed)) || known.some((tag) => caseKey(tag) === caseKey(typed))
  return { matches, made: typed === '' || isKnown ? null : typed }
}

function Token({ tag, onRemove }: { tag: string; onRemove: () => void }) {
  return (
    <span className="token" title={tag}>
      <span className="token-text">{tag}</span>
      <button className="iconbtn" type="button" aria-label={`Remove ${tag}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  )
}
