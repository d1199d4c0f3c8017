import { Tab, TabGroup, TabList, TabPanel, TabPanels } from '@headlessui/react'
import { type MutableRefObject, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { parseForm } from '~/forms/parse.ts'
import { formValues, ownsField } from '~/forms/steps.ts'
import { useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { useFieldErrors, useFormSchema } from './console-form.tsx'
import { usePostAwaited } from './use-post-awaited.ts'

type FormTab = {
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
  /** Told of each tab that is opened, the first one included. */
  onSelect?: (id: string) => void
}

/**
 * One form in tabs, which can be filled in in any order. All panels stay in the form, so nothing typed is lost; a refused post opens the
 * first tab with an error and goes to its field. Without JavaScript the panels follow each other under headings.
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
  const root = useRef<HTMLDivElement>(null)
  const fieldErrors = useFieldErrors()
  const schema = useFormSchema()
  const hasError = (tab: FormTab | undefined) =>
    Object.keys(fieldErrors).some((name) => tab && ownsField(tab.fields, name))
  const [selected, setSelected] = useState(() => {
    const withError = tabs.findIndex(hasError)
    return Math.max(0, withError >= 0 ? withError : tabs.findIndex(({ id }) => id === initial))
  })
  const faulty = useFaultyFields(root, schema)

  const isPostAwaited = usePostAwaited(root)
  const [refusals, setRefusals] = useState(0)
  const [tabsNow, toldNow] = [useLatest(tabs), useLatest(onSelect)]
  const firstWithError = tabs.findIndex(hasError)
  // The tab that is open at first counts as chosen, so that it is open again when the form comes back.
  const first = useRef(tabs[selected]?.id)
  useEffect(() => {
    if (first.current !== undefined) toldNow.current?.(first.current)
  }, [])
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

  const select = (index: number) => {
    setSelected(index)
    if (tabs[index]) onSelect?.(tabs[index].id)
  }
  const step = (to: number) => {
    select(to)
    root.current?.querySelectorAll<HTMLElement>('[role=tab]')[to]?.focus()
  }
  return (
    <TabGroup className="formtabs" ref={root} selectedIndex={selected} onChange={select}>
      <TabList className="tabs" aria-label={label}>
        {tabs.map((tab) => (
          <TabButton
            key={tab.id}
            label={tab.label}
            hasError={hasError(tab) || tab.hasProblem === true}
            isDone={faulty !== null && !faulty.some((name) => ownsField(tab.fields, name))}
          />
        ))}
      </TabList>
      {/* What is not in the page is not in the form. */}
      <TabPanels>
        {tabs.map((tab, index) => (
          <TabPanel key={tab.id} unmount={false} tabIndex={-1} className="formstack">
            {tab.content}
            <Neighbors index={index} last={tabs.length - 1} onStep={step} />
          </TabPanel>
        ))}
      </TabPanels>
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

/** To the tab before and the one after, in sight however long the panel is. */
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

/** The fields that the form's values as they are would be refused for; null until they were looked at. */
function useFaultyFields(root: RefObject<HTMLDivElement>, schema: ReturnType<typeof useFormSchema>): string[] | null {
  const [faulty, setFaulty] = useState<string[] | null>(null)
  useEffect(() => {
    const form = root.current?.closest('form')
    if (!form) return
    // From the form itself: the library's own values are not there yet when a form appears.
    const look = () => {
      const result = parseForm(schema, formValues(new FormData(form)))
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
