import { useActionData, useLocation } from '@remix-run/react'
import { useEffect, useRef, useState } from 'react'
import { inOrderOf, orderForm, writeOrder } from '~/forms/order.ts'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { ListFormFoot, ListTabs } from './list-form.tsx'
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
  const change = (uid: string) => (items: SortableItem[]) =>
    setWanted(writeOrder(arranged.flatMap((list) => (list.uid === uid ? items : list.items))))
  const tabs = arranged.map(({ uid, name, label, items }, index) => ({
    uid,
    name,
    isChanged: writeOrder(items) !== writeOrder(lists[index]?.items ?? []),
    content: (
      <SortableList label={label} items={items} insideNoun={insideNoun} isAcross={isAcross} onChange={change(uid)} />
    ),
  }))
  return (
    <ConsoleForm
      id={id}
      schema={orderForm}
      guard={{ noun: 'order', mode: 'editing', isPerQuery: true }}
      className="orderform"
    >
      <input type="hidden" name="order" value={order} />
      <input type="hidden" name="opened" value={base} />
      {tabs.length === 1 ? tabs[0]?.content : <ListTabs label={label} tabs={tabs} />}
      <ListFormFoot
        formId={id}
        isChanged={order !== base}
        changed="The order has changed and is not saved yet."
        onReset={() => setWanted(base)}
        resetTo={pathname + search}
      />
    </ConsoleForm>
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
