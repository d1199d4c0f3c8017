/** What forms share whose lists people arrange: tabs, and the foot with Reset and Save. */
import { Tab, TabGroup, TabList, TabPanel, TabPanels } from '@headlessui/react'
import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { useHydrated } from '../../ui/form.tsx'
import { SubmitButton } from '../submit-button.tsx'

type FootProps = {
  formId: string
  isChanged: boolean
  /** Says that something is not saved yet. */
  changed: string
  onReset: () => void
  /** The address that loads the saved list again, for a page without JavaScript. */
  resetTo: string
}

export function ListFormFoot({ formId, isChanged, changed, onReset, resetTo }: FootProps) {
  const isHydrated = useHydrated()
  return (
    <div className="orderform-foot">
      <p className="muted" role="status">
        {isChanged ? changed : ''}
      </p>
      {isHydrated ? (
        <button className="btn btn--secondary" type="button" aria-disabled={!isChanged || undefined} onClick={onReset}>
          Reset
        </button>
      ) : (
        <Link className="btn btn--secondary" to={resetTo}>
          Reset
        </Link>
      )}
      <SubmitButton
        form={formId}
        intent="save"
        className="btn--primary"
        busyWord="Saving"
        disabled={isHydrated && !isChanged}
      >
        Save
      </SubmitButton>
    </div>
  )
}

export type ListTab = { uid: string; name: string; isChanged?: boolean; content: ReactNode }

/** Shows lists in tabs; without JavaScript, under headings. All of them stay in the page. */
export function ListTabs({ tabs, label }: { tabs: ListTab[]; label: string }) {
  if (!useHydrated()) {
    return tabs.map(({ uid, name, content }) => (
      <section key={uid} aria-label={name} className="mb-6">
        <h2 className="formtabs-title">{name}</h2>
        {content}
      </section>
    ))
  }
  return (
    <TabGroup>
      <TabList className="tabs mb-4" aria-label={label}>
        {tabs.map(({ uid, name, isChanged }) => (
          <Tab key={uid}>
            {name}
            {isChanged && <span className="muted small"> changed</span>}
          </Tab>
        ))}
      </TabList>
      <TabPanels>
        {tabs.map(({ uid, content }) => (
          <TabPanel key={uid} unmount={false} tabIndex={-1}>
            {content}
          </TabPanel>
        ))}
      </TabPanels>
    </TabGroup>
  )
}
