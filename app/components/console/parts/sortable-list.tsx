import { Link, useLoaderData } from '@remix-run/react'
import { OrderForm } from '../sortable/order-form.tsx'
import type { SortableItem } from '../sortable/sortable-list.tsx'

export type SortableExample = { section: string; items: SortableItem[]; isAcross: boolean; isSaved: boolean }

/**
 * Shows the chapters of a section and their modules. Admins save the order for the Modules page, unless modules may
 * change chapters.
 */
export function SortableListExample() {
  const { section, items, isAcross, isSaved } = useLoaderData<SortableExample>()
  return (
    <>
      <h1>Sortable list</h1>
      <p className="muted">
        {isAcross
          ? 'Modules can move between chapters.'
          : `The chapters of “${section}” and their modules, as on the Modules page.`}{' '}
        {isSaved
          ? 'A new order is saved for all learners.'
          : 'Nothing is saved. The page shows what the server received.'}{' '}
        <Link to={isAcross ? '?' : '?across=1'}>
          {isAcross ? 'Keep modules in their chapters' : 'Let modules move between chapters'}
        </Link>
      </p>
      <OrderForm
        key={String(isAcross)}
        id="order"
        lists={[{ uid: section, name: section, label: `Chapters of ${section}`, items }]}
        insideNoun={['module', 'modules']}
        isAcross={isAcross}
      />
    </>
  )
}
