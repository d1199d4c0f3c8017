import { Link, useLoaderData } from '@remix-run/react'
import { OrderForm } from '../sortable/order-form.tsx'
import type { SortableItem } from '../sortable/sortable-list.tsx'

export type SortableExample = { section: string; items: SortableItem[]; isAcross: boolean }

/**
 * Shows the chapters of a section and their modules. The order is saved for the Modules page, unless modules may change
 * chapters.
 */
export function SortableListExample() {
  const { section, items, isAcross } = useLoaderData<SortableExample>()
  return (
    <>
      <h1>Sortable list</h1>
      <p className="muted">
        {isAcross
          ? 'Modules can move between chapters. Nothing is saved. The page shows what the server received.'
          : `The chapters of “${section}” and their modules, as on the Modules page. Admins can save a new order.`}{' '}
        <Link to={isAcross ? '?' : '?across=1'}>
          {isAcross ? 'Keep modules in their chapters' : 'Let modules move between chapters'}
        </Link>
      </p>
      <OrderForm
        key={String(isAcross)}
        id="order"
        label={`Chapters of ${section}`}
        items={items}
        insideNoun={['module', 'modules']}
        isAcross={isAcross}
      />
    </>
  )
}
