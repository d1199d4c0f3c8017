import { Tab, TabGroup, TabList, TabPanel, TabPanels } from '@headlessui/react'
import { type MutableRefObject, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { parseForm } from '~/forms/parse.ts'
import { formValues, ownsField } from '~/forms/steps.ts'
import { useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { useFieldErrors, useFormSchema } from './console-form.tsx'
import { usePostAwaited } from './use-post-awaited.ts'

type FormTab = {
  id: string
  label: string
  /** The names of the tab's fields. An error in one of them marks the tab. */
  fields: string[]
  /** Marks the tab for a problem that is not the error of a field. */
  hasProblem?: boolean
  /** A field without which the tab is not completed, although the form may be saved without it. */
  needs?: string
  content: ReactNode
}

type Props = {
  tabs: FormTab[]
  label: string
  /** The id of the tab that is open at first if nothing was refused. Defaults to the first tab. */
  initial?: string
  /** Called for each tab that opens, including the first. */
  onSelect?: (id: string) => void
  /** Stacks the tabs beside the panels. */
  isVertical?: boolean
  /** The element of the dialog's footer for Back and Next. On phones they are at the end of each panel instead. */
  footer: HTMLElement | null
}

/**
 * One form in tabs, which people can fill in in any order. All panels stay in the form, so no input is lost. A refused
 * post opens the first tab with an error and focuses its field. Without JavaScript the panels follow each other under
 * headings.
 */
export function FormTabs(props: Props) {
  const { tabs } = props
  const isHydrated = useHydrated()
  if (!isHydrated) {
    return (
      <div className="formtabs">
        {tabs.map((tab) => (
          <section key={tab.id} className="formstack" aria-label={tab.label}>
            <h2 className="formtabs-title">{tab.label}</h2>
            {tab.content}
          </section>
        ))}
      </div>
    )
  }
  return <Tabs {...props} />
}

function Tabs({ tabs, label, initial, onSelect, isVertical = false, footer }: Props) {
  const root = useRef<HTMLDivElement>(null)
  const fieldErrors = useFieldErrors()
  const schema = useFormSchema()
  const hasError = (tab: FormTab | undefined) =>
    Object.keys(fieldErrors).some((name) => tab && ownsField(tab.fields, name))
  const [selected, setSelected] = useState(() => {
    const withError = tabs.findIndex(hasError)
    return Math.max(0, withError >= 0 ? withError : tabs.findIndex(({ id }) => id === initial))
  })
  const { faulty, empty } = useFieldStates(root, schema, tabs)

  const isPostAwaited = usePostAwaited(root)
  const [refusals, setRefusals] = useState(0)
  const [latestTabs, latestOnSelect] = [useLatest(tabs), useLatest(onSelect)]
  const firstWithError = tabs.findIndex(hasError)
  // The first tab also calls onSelect, so that the same tab is open when the form comes back.
  const first = useRef(tabs[selected]?.id)
  useEffect(() => {
    if (first.current !== undefined) latestOnSelect.current?.(first.current)
  }, [])
  useEffect(() => {
    if (!isPostAwaited.current || Object.keys(fieldErrors).length === 0) return
    isPostAwaited.current = false
    const tab = latestTabs.current[firstWithError]
    if (tab) {
      setSelected(firstWithError)
      latestOnSelect.current?.(tab.id)
    }
    setRefusals((count) => count + 1)
  }, [isPostAwaited, fieldErrors, firstWithError])
  // A field cannot take the focus before its tab is open. Headless UI opens the tab in a second render, after effects.
  useEffect(() => {
    if (refusals === 0) return
    const frame = requestAnimationFrame(() => {
      const field = root.current?.querySelector<HTMLElement>('[role=tabpanel]:not([hidden]) [aria-invalid=true]')
      field?.focus()
      // The editor takes the focus without being scrolled to.
      field?.scrollIntoView({ block: 'nearest' })
    })
    return () => cancelAnimationFrame(frame)
  }, [refusals])

  const select = (index: number) => {
    setSelected(index)
    root.current?.closest('.in')?.scrollTo({ top: 0 })
    if (tabs[index]) onSelect?.(tabs[index].id)
  }
  const step = (to: number) => {
    select(to)
    root.current?.querySelectorAll<HTMLElement>('[role=tab]')[to]?.focus({ preventScroll: true })
  }
  return (
    <TabGroup
      className={isVertical ? 'formtabs formtabs--vertical' : 'formtabs'}
      ref={root}
      vertical={isVertical}
      selectedIndex={selected}
      onChange={select}
    >
      <TabList className="tabs" aria-label={label}>
        {tabs.map((tab) => (
          <TabButton
            key={tab.id}
            label={tab.label}
            hasError={hasError(tab) || tab.hasProblem === true}
            isDone={
              faulty !== null &&
              !faulty.some((name) => ownsField(tab.fields, name)) &&
              !(tab.needs && empty.includes(tab.needs))
            }
          />
        ))}
      </TabList>
      {/* Panels stay mounted (`unmount={false}`): a field that is not in the page is not in the form. */}
      <TabPanels>
        {tabs.map((tab, index) => (
          <TabPanel key={tab.id} unmount={false} tabIndex={-1} className="formstack">
            {tab.content}
            <Neighbors index={index} last={tabs.length - 1} onStep={step} />
          </TabPanel>
        ))}
      </TabPanels>
      {footer && createPortal(<Neighbors index={selected} last={tabs.length - 1} onStep={step} />, footer)}
    </TabGroup>
  )
}

function TabButton({ label, hasError, isDone }: { label: string; hasError: boolean; isDone: boolean }) {
  return (
    <Tab className={hasError ? 'is-error' : isDone ? 'is-done' : undefined}>
      {hasError ? <Icon name="alert" /> : isDone && <Icon name="check" />}
      {label}
      {(hasError || isDone) && <span className="sr-only">{hasError ? ' (has errors)' : ' (completed)'}</span>}
    </Tab>
  )
}

/** Buttons to the previous and the next tab. */
function Neighbors({ index, last, onStep }: { index: number; last: number; onStep: (to: number) => void }) {
  return (
    <div className="formtabs-steps">
      {index > 0 && (
        <button className="btn btn--secondary" type="button" onClick={() => onStep(index - 1)}>
          Back
        </button>
      )}
      {index < last && (
        <button className="btn btn--secondary ml-auto" type="button" onClick={() => onStep(index + 1)}>
          Next
        </button>
      )}
    </div>
  )
}

type FieldStates = { faulty: string[] | null; empty: string[] }

/**
 * Returns the names of the fields whose current values would be refused, null until the first check, and of those that
 * tabs need and that are empty.
 */
function useFieldStates(
  root: RefObject<HTMLDivElement>,
  schema: ReturnType<typeof useFormSchema>,
  tabs: FormTab[],
): FieldStates {
  const [states, setStates] = useState<FieldStates>({ faulty: null, empty: [] })
  const needed = tabs.flatMap(({ needs = [] }) => needs).join(' ')
  useEffect(() => {
    const form = root.current?.closest('form')
    if (!form) return
    const names = needed.split(' ').filter((name) => name !== '')
    // Reads the form itself: the library has no values yet when a form appears.
    const check = () => {
      const values = new FormData(form)
      const result = parseForm(schema, formValues(values))
      setStates({
        faulty: result.ok ? [] : Object.keys(result.errors),
        empty: names.filter((name) => (values.get(name) ?? '') === ''),
      })
    }
    check()
    form.addEventListener('input', check)
    form.addEventListener('change', check)
    // There is no event when a script changes a hidden field.
    const observer = new MutationObserver(check)
    for (const name of names) {
      const field = form.elements.namedItem(name)
      if (field instanceof HTMLInputElement) observer.observe(field, { attributeFilter: ['value'] })
    }
    return () => {
      observer.disconnect()
      form.removeEventListener('input', check)
      form.removeEventListener('change', check)
    }
  }, [root, schema, needed])
  return states
}

/** Gives effects the latest value without making them depend on it. */
function useLatest<T>(value: T): MutableRefObject<T> {
  const ref = useRef(value)
  ref.current = value
  return ref
}
