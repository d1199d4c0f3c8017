import { Tab, TabGroup, TabList, TabPanel, TabPanels } from '@headlessui/react'
import { Link, useActionData, useLocation } from '@remix-run/react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { inOrderOf, orderForm, writeOrder } from '~/forms/order.ts'
import { useHydrated } from '../../ui/form.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { type SortableItem, SortableList } from './sortable-list.tsx'

/**
 * The action's answer to a move button of the plain form: the new order, not saved yet, and the order that the form was
 * opened with.
 */
export type OrderAnswer = { order: string; opened: string }

/** A list to arrange. `items` are in their saved order. */
export type ListToArrange = { uid: string; name: string; label: string; items: SortableItem[] }

type Props = {
  /** The id of the form, unique on the page. */
  id: string
  /** Several lists have a tab each. All are saved together. */
  lists: ListToArrange[]
  /** Names the tabs. */
  label?: string
  insideNoun?: [one: string, many: string]
  isAcross?: boolean
}

/** A form with sortable lists. It keeps moves until they are saved or reset. */
export function OrderForm({ id, lists, label = 'Lists', insideNoun, isAcross }: Props) {
  const saved = writeOrder(lists.flatMap(({ items }) => items))
  const { order: sent, opened: base = saved } = useSentOrder(id)
  const [wanted, setWanted] = useState(sent ?? saved)
  const isHydrated = useHydrated()
  const { pathname, search } = useLocation()
  const latest = useRef(sent)
  latest.current = sent
  // An answer without an order, such as that of a lost connection, must not undo what was moved.
  useEffect(() => {
    if (sent !== undefined) setWanted(sent)
  }, [sent])
  useEffect(() => setWanted(latest.current ?? saved), [saved])
  const arranged = lists.map((list) => ({ ...list, items: inOrderOf(list.items, wanted) }))
  const order = writeOrder(arranged.flatMap(({ items }) => items))
  const isChanged = order !== base
  const change = (uid: string) => (items: SortableItem[]) =>
    setWanted(writeOrder(arranged.flatMap((list) => (list.uid === uid ? items : list.items))))
  return (
    <ConsoleForm
      id={id}
      schema={orderForm}
      guard={{ noun: 'order', mode: 'editing', isPerQuery: true }}
      className="orderform"
    >
      <input type="hidden" name="order" value={order} />
      <input type="hidden" name="opened" value={base} />
      <Lists
        label={label}
        tabs={arranged.map(({ uid, name, label, items }, index) => ({
          uid,
          name,
          isChanged: writeOrder(items) !== writeOrder(lists[index]?.items ?? []),
          content: (
            <SortableList
              label={label}
              items={items}
              insideNoun={insideNoun}
              isAcross={isAcross}
              onChange={change(uid)}
            />
          ),
        }))}
      />
      <div className="orderform-foot">
        <p className="muted" role="status">
          {isChanged ? 'The order has changed and is not saved yet.' : ''}
        </p>
        {isHydrated ? (
          <button
            className="btn btn--secondary"
            type="button"
            aria-disabled={!isChanged || undefined}
            onClick={() => setWanted(base)}
          >
            Reset
          </button>
        ) : (
          <Link className="btn btn--secondary" to={pathname + search}>
            Reset
          </Link>
        )}
        <SubmitButton
          form={id}
          intent="save"
          className="btn--primary"
          busyWord="Saving"
          disabled={isHydrated && !isChanged}
        >
          Save
        </SubmitButton>
      </div>
    </ConsoleForm>
  )
}

type TabOfList = { uid: string; name: string; isChanged: boolean; content: ReactNode }

/** Shows one list as it is, and several in tabs; without JavaScript, under headings. */
function Lists({ tabs, label }: { tabs: TabOfList[]; label: string }) {
  const isHydrated = useHydrated()
  if (tabs.length === 1) return tabs[0]?.content
  if (!isHydrated) {
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

/**
 * Returns the order that was posted last but not saved, and the order that its form was opened with: it was refused, or
 * came from a move button of the plain form. The answer to a conflict leaves `opened` out, because the form goes on from
 * the order that is stored now.
 */
function useSentOrder(id: string): Partial<OrderAnswer> {
  const refused = useRefusal(id)?.values
  const answer = useActionData<Partial<OrderAnswer> | null>()
  const { order, opened } = refused ?? answer ?? {}
  return { order: order || undefined, opened: opened || undefined }
}
