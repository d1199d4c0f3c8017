import { Link, useLoaderData } from '@remix-run/react'
import { OrderForm } from '../sortable/order-form.tsx'
import type { SortableItem } from '../sortable/sortable-list.tsx'

export type SortableExample = { section: string; items: SortableItem[]; isAcross: boolean }

/** Chapters of a section with their modules: saved as the Modules page has them, or, where modules may change chapters, only shown. */
export function SortableListExample() {
  const { section, items, isAcross } = useLoaderData<SortableExample>()
  return (
    <>
      <h1>Sortable list</h1>
      <p className="muted">
        {isAcross
          ? 'Modules may move from chapter to chapter. Nothing is saved: the page says what it received.'
          : `The chapters of “${section}” and their modules, in the order of the Modules page. Admins can save it.`}{' '}
        <Link to={isAcross ? '?' : '?across=1'}>
          {isAcross ? 'Keep modules in their chapters' : 'Let modules change their chapter'}
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
