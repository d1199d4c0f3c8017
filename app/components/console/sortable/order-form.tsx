import { Link, useActionData, useLocation } from '@remix-run/react'
import { useEffect, useState } from 'react'
import { inOrderOf, orderForm, writeOrder } from '~/forms/order.ts'
import { useHydrated } from '../../ui/form.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { type SortableItem, SortableList } from './sortable-list.tsx'

/** The action's answer to a move button of the plain form: the new order, not saved yet. */
export type OrderAnswer = { order: string }

type Props = {
  /** The id of the form, unique on the page. */
  id: string
  label: string
  /** The items in their saved order. */
  items: SortableItem[]
  insideNoun?: [one: string, many: string]
  isAcross?: boolean
}

/** A form with a sortable list. It keeps moves until they are saved or reset. */
export function OrderForm({ id, label, items, insideNoun, isAcross }: Props) {
  const saved = writeOrder(items)
  const sent = useSentOrder(id)
  const [wanted, setWanted] = useState(sent ?? saved)
  const isHydrated = useHydrated()
  const { pathname, search } = useLocation()
  useEffect(() => setWanted(sent ?? saved), [sent, saved])
  const list = inOrderOf(items, wanted)
  const order = writeOrder(list)
  const isChanged = order !== saved
  return (
    <ConsoleForm
      id={id}
      schema={orderForm}
      guard={{ noun: 'order', mode: 'editing', isPerQuery: true }}
      className="orderform"
    >
      <input type="hidden" name="order" value={order} />
      <input type="hidden" name="opened" value={saved} />
      <SortableList
        label={label}
        items={list}
        insideNoun={insideNoun}
        isAcross={isAcross}
        onChange={(next) => setWanted(writeOrder(next))}
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
            onClick={() => setWanted(saved)}
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

/**
 * Returns the order that was posted last but not saved: it was refused, or came from a move button of the plain form.
 */
function useSentOrder(id: string): string | undefined {
  const refused = useRefusal(id)?.values.order
  const answer = useActionData<Partial<OrderAnswer> | null>()
  return refused ?? (typeof answer?.order === 'string' ? answer.order : undefined)
}
