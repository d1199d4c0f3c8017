import {
  type KeyboardEvent,
  type MutableRefObject,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { useFormContext } from 'remix-validated-form'
import { parseForm } from '~/forms/parse.ts'
import { useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { useFormSchema } from './fields.tsx'

export type FormTab = {
  id: string
  label: string
  /** The names of its fields: an error of one of them marks the tab. */
  fields: string[]
  /** Something in it is wrong that is no field's error. */
  hasProblem?: boolean
  content: ReactNode
}

type Props = {
  tabs: FormTab[]
  label: string
  /** The id of the tab that is open at first, where nothing was refused; the first one unless told. */
  initial?: string
  onSelect?: (id: string) => void
}

/**
 * One form in steps. All panels stay in the form, so nothing typed is lost; a refused post opens the first tab with an error and goes
 * to its field. Without JavaScript the panels follow each other under headings.
 */
export function FormTabs({ tabs, label, initial, onSelect }: Props) {
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
  return <Tabs tabs={tabs} label={label} initial={initial} onSelect={onSelect} />
}

function Tabs({ tabs, label, initial, onSelect }: Props) {
  const id = useId()
  const root = useRef<HTMLDivElement>(null)
  const { fieldErrors } = useFormContext()
  const schema = useFormSchema()
  const hasError = (tab: FormTab | undefined) => Object.keys(fieldErrors).some((name) => tab && owns(tab, name))
  const [selected, setSelected] = useState(() => {
    const withError = tabs.findIndex(hasError)
    return Math.max(0, withError >= 0 ? withError : tabs.findIndex(({ id }) => id === initial))
  })
  const faulty = useFaultyFields(root, schema)

  const isPostAwaited = usePostAwaited(root)
  const [refusals, setRefusals] = useState(0)
  const [tabsNow, toldNow] = [useLatest(tabs), useLatest(onSelect)]
  const firstWithError = tabs.findIndex(hasError)
  useEffect(() => {
    if (!isPostAwaited.current || Object.keys(fieldErrors).length === 0) return
    isPostAwaited.current = false
    const tab = tabsNow.current[firstWithError]
    if (tab) {
      setSelected(firstWithError)
      toldNow.current?.(tab.id)
    }
    setRefusals((count) => count + 1)
  }, [isPostAwaited, fieldErrors, firstWithError])
  // A field cannot take the focus before its tab is open.
  useEffect(() => {
    if (refusals === 0) return
    root.current?.querySelector<HTMLElement>('[role=tabpanel]:not([hidden]) [aria-invalid=true]')?.focus()
  }, [refusals])

  const select = (index: number, withFocus = false) => {
    setSelected(index)
    if (tabs[index]) onSelect?.(tabs[index].id)
    if (withFocus) root.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus()
  }
  return (
    <div className="formtabs" ref={root}>
      <div
        className="tabs"
        role="tablist"
        aria-label={label}
        onKeyDown={(event) => moveByKey(event, selected, tabs, select)}
      >
        {tabs.map((tab, index) => (
          <TabButton
            key={tab.id}
            id={`${id}-${tab.id}`}
            label={tab.label}
            isSelected={index === selected}
            hasError={hasError(tab) || tab.hasProblem === true}
            isDone={faulty !== null && !faulty.some((name) => owns(tab, name))}
            onSelect={() => select(index)}
          />
        ))}
      </div>
      {tabs.map((tab, index) => (
        <div
          key={tab.id}
          id={`${id}-${tab.id}-panel`}
          role="tabpanel"
          aria-labelledby={`${id}-${tab.id}`}
          hidden={index !== selected}
          className="formstack"
        >
          {tab.content}
          <Steps index={index} last={tabs.length - 1} onStep={(to) => select(to, true)} />
        </div>
      ))}
    </div>
  )
}

type TabButtonProps = {
  id: string
  label: string
  isSelected: boolean
  hasError: boolean
  isDone: boolean
  onSelect: () => void
}

function TabButton({ id, label, isSelected, hasError, isDone, onSelect }: TabButtonProps) {
  return (
    <button
      type="button"
      role="tab"
      id={id}
      aria-controls={`${id}-panel`}
      aria-selected={isSelected}
      tabIndex={isSelected ? 0 : -1}
      className={hasError ? 'is-error' : isDone ? 'is-done' : undefined}
      onClick={onSelect}
    >
      {hasError ? <Icon name="alert" /> : isDone && <Icon name="check" />}
      {label}
      {(hasError || isDone) && <span className="sr-only">{hasError ? ' (has errors)' : ' (completed)'}</span>}
    </button>
  )
}

function Steps({ index, last, onStep }: { index: number; last: number; onStep: (to: number) => void }) {
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

/** The fields that the form's values as they are would be refused for; null until they were looked at. */
function useFaultyFields(root: RefObject<HTMLDivElement>, schema: ReturnType<typeof useFormSchema>): string[] | null {
  const [faulty, setFaulty] = useState<string[] | null>(null)
  useEffect(() => {
    const form = root.current?.closest('form')
    if (!form) return
    // From the form itself: the library's own values are not there yet when a form appears.
    const look = () => {
      const result = parseForm(schema, Object.fromEntries(new FormData(form)))
      setFaulty(result.ok ? [] : Object.keys(result.errors))
    }
    look()
    form.addEventListener('input', look)
    form.addEventListener('change', look)
    return () => {
      form.removeEventListener('input', look)
      form.removeEventListener('change', look)
    }
  }, [root, schema])
  return faulty
}

/** For effects that use it without being run for it. */
function useLatest<T>(value: T): MutableRefObject<T> {
  const ref = useRef(value)
  ref.current = value
  return ref
}

/** True from a post until its errors are known, so that errors found while typing lead nowhere. */
function usePostAwaited(root: RefObject<HTMLDivElement>): MutableRefObject<boolean> {
  const isAwaited = useRef(false)
  useEffect(() => {
    const form = root.current?.closest('form')
    if (!form) return
    const onSubmit = () => {
      isAwaited.current = true
    }
    const onInput = () => {
      isAwaited.current = false
    }
    form.addEventListener('submit', onSubmit)
    form.addEventListener('input', onInput)
    return () => {
      form.removeEventListener('submit', onSubmit)
      form.removeEventListener('input', onInput)
    }
  }, [root])
  return isAwaited
}

function moveByKey(
  event: KeyboardEvent,
  selected: number,
  tabs: FormTab[],
  select: (index: number, withFocus: boolean) => void,
): void {
  const last = tabs.length - 1
  const to: Record<string, number> = {
    ArrowRight: selected === last ? 0 : selected + 1,
    ArrowLeft: selected === 0 ? last : selected - 1,
    Home: 0,
    End: last,
  }
  const index = to[event.key]
  if (index === undefined) return
  event.preventDefault()
  select(index, true)
}

function owns(tab: FormTab, name: string): boolean {
  return tab.fields.some((field) => name === field || name.startsWith(`${field}.`) || name.startsWith(`${field}[`))
}
