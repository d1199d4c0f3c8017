import { withOrWithout } from '~/lib/sets.ts'
import type { Selection } from './data-grid-types.ts'

type Props<Row> = { id: string; name: string; row: Row; selection: Selection<Row> }

/** What may not be chosen, or is too many, cannot be ticked. */
export function SelectBox<Row>({ id, name, row, selection }: Props<Row>) {
  const { selected, onChange, isSelectable, max } = selection
  const isChecked = selected.has(id)
  const isFull = max !== undefined && selected.size >= max && !isChecked
  return (
    <label className="tick tick--alone">
      <input
        type="checkbox"
        name={selection.name}
        form={selection.form}
        value={id}
        aria-label={`Select ${name}`}
        checked={isChecked}
        disabled={isSelectable?.(row) === false || isFull}
        onChange={(event) => onChange(withOrWithout(selected, id, event.currentTarget.checked))}
      />
    </label>
  )
}
