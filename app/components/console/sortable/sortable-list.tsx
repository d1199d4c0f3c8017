import {
  type Announcements,
  type CollisionDetection,
  closestCenter,
  DndContext,
  type DragEndEvent,
  type DragOverEvent,
  KeyboardSensor,
  PointerSensor,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { createContext, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react'
import { moveTo, type OrderPlace, type OrderStep, placeAfterStep, placeOf, siblingsAt } from '~/forms/order.ts'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ConsoleIcon } from '../console-icon.tsx'

export type SortableItem = {
  uid: string
  name: string
  /** Appears after the name, such as a chip. */
  detail?: ReactNode
  /** Appears instead of the name, such as the field in which it is edited. */
  title?: ReactNode
  /** Appears between the row and the items inside. */
  body?: ReactNode
  /** Appears after the items inside, such as a button that adds one. */
  foot?: ReactNode
  /** The items inside this one. Undefined if it cannot contain any. */
  inside?: SortableItem[]
}

type Props = {
  label: string
  items: SortableItem[]
  onChange: (items: SortableItem[]) => void
  /** The word for the items inside: "module", "modules". */
  insideNoun?: [one: string, many: string]
  /** Lets an inner item move into another outer item. */
  isAcross?: boolean
  /** Gives each item a button that takes it out of the list. Without JavaScript it sends the form (`remove`). */
  onRemove?: (uid: string) => void
  /** Moves items that are at the end of their list on to the next list, which only the caller knows. */
  beyond?: Beyond
}

export type Beyond = {
  canStep: (uid: string, step: OrderStep) => boolean
  /** Returns where the item is now, for the announcement: "in Phase 2". */
  step: (uid: string, step: OrderStep) => string
}

type Arranging = Required<Pick<Props, 'insideNoun' | 'isAcross'>> & {
  items: SortableItem[]
  remove?: (uid: string) => void
  beyond?: Beyond
  step: (uid: string, step: OrderStep) => void
}

const arrangingContext = createContext<Arranging | null>(null)

function useArranging(): Arranging {
  const arranging = useContext(arrangingContext)
  if (!arranging) throw new Error('This part belongs inside a SortableList.')
  return arranging
}

/**
 * A list that people order by dragging a handle, with the keyboard, or with buttons. Without JavaScript it has only the
 * buttons, and each sends its form (`move` of forms/order.ts).
 */
export function SortableList(props: Props) {
  const { label, items, onChange, insideNoun = ['item', 'items'], isAcross = false, onRemove, beyond } = props
  const id = useId()
  const [said, setSaid] = useState('')
  const root = useRef<HTMLDivElement>(null)
  const before = useRef(items)
  const pressed = useRef<string | null>(null)
  const isFirst = useRef(false)
  const sensors = useSensors(
    // A press on the handle without a move is not a drag.
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )

  // A button loses the focus when it moves with its row.
  useEffect(() => {
    if (pressed.current === null) return
    // The row may be in another list now.
    document.querySelector<HTMLElement>(`[data-step="${pressed.current}"]`)?.focus()
    pressed.current = null
  })

  const step = (uid: string, direction: OrderStep) => {
    const to = placeAfterStep(items, uid, direction, { isAcross })
    if (!to && !beyond?.canStep(uid, direction)) return
    pressed.current = `${direction}:${uid}`
    if (!to) {
      setSaid(`${nameOf(items, uid)} is now ${beyond?.step(uid, direction)}.`)
      return
    }
    const moved = moveTo(items, uid, to)
    setSaid(`${nameOf(items, uid)} is now ${placeInWords(moved, uid)}.`)
    onChange(moved)
  }
  const remove = (uid: string) => {
    setSaid(`${nameOf(items, uid)} was taken out of the list.`)
    onRemove?.(uid)
    // The button disappears with its row, so the list takes the focus.
    root.current?.focus()
  }
  const drag = (event: DragOverEvent | DragEndEvent, isEnd: boolean) => {
    const to = targetOf(items, event)
    if (!to) return
    const from = placeOf(items, String(event.active.id))
    // Within its own list an item only appears to move until it is dropped.
    if (from && (isEnd || from.parent !== to.parent)) onChange(moveTo(items, String(event.active.id), to))
  }
  return (
    <arrangingContext.Provider value={{ items, insideNoun, isAcross, step, remove: onRemove && remove, beyond }}>
      <DndContext
        id={id}
        sensors={sensors}
        collisionDetection={sameLevelOnly(isAcross)}
        accessibility={{
          announcements: announcementsOf(items, isFirst),
          screenReaderInstructions: { draggable: instructions },
        }}
        onDragStart={() => {
          before.current = items
        }}
        onDragOver={(event) => drag(event, false)}
        onDragEnd={(event) => drag(event, true)}
        onDragCancel={() => onChange(before.current)}
      >
        <div ref={root} tabIndex={-1}>
          <Level items={items} parent={null} label={label} />
        </div>
      </DndContext>
      <p className="sr-only" role="status">
        {said}
      </p>
    </arrangingContext.Provider>
  )
}

function Level({ items, parent, label }: { items: SortableItem[]; parent: string | null; label: string }) {
  return (
    <SortableContext items={items.map(({ uid }) => uid)} strategy={verticalListSortingStrategy}>
      <ol className={parent === null ? 'sortable' : 'sortable sortable--inside'} aria-label={label}>
        {items.map((item) => (
          <Row key={item.uid} item={item} parent={parent} />
        ))}
        {parent !== null && items.length === 0 && <EmptyPlace parent={parent} />}
      </ol>
    </SortableContext>
  )
}

/** The data of rows and empty lists that dnd-kit hands to the drag handlers. */
type PlaceData = { parent: string | null }

function Row({ item, parent }: { item: SortableItem; parent: string | null }) {
  const { uid, name, title = name, detail, body, inside, foot } = item
  const { insideNoun, remove } = useArranging()
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: uid,
    data: { parent } satisfies PlaceData,
  })
  const isHydrated = useHydrated()
  return (
    <li
      ref={setNodeRef}
      id={`order-${uid}`}
      className={isDragging ? 'is-dragged' : undefined}
      style={{ transform: CSS.Translate.toString(transform), transition }}
    >
      <div className="sortable-row">
        {isHydrated && (
          <button
            ref={setActivatorNodeRef}
            type="button"
            className="iconbtn grip"
            {...attributes}
            {...listeners}
            aria-label={`Drag ${name}`}
          >
            <ConsoleIcon name="grip" />
          </button>
        )}
        <div className="sortable-name">
          {title}
          {detail}
        </div>
        <StepButton uid={uid} name={name} step="up" />
        <StepButton uid={uid} name={name} step="down" />
        {remove && (
          <button
            type="submit"
            className="iconbtn"
            name="remove"
            value={uid}
            aria-label={`Remove ${name}`}
            title="Remove"
            onClick={(event) => {
              event.preventDefault()
              remove(uid)
            }}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      {body && <div className="sortable-body">{body}</div>}
      {inside && (
        <details className="sortable-group" open>
          <summary>
            <Icon name="chevron" />
            {countOf(inside.length, insideNoun)}
          </summary>
          <Level items={inside} parent={uid} label={`${name}: ${insideNoun[1]}`} />
        </details>
      )}
      {foot && <div className="sortable-body">{foot}</div>}
    </li>
  )
}

function StepButton({ uid, name, step }: { uid: string; name: string; step: OrderStep }) {
  const arranging = useArranging()
  const isEnd = placeAfterStep(arranging.items, uid, step, arranging) === null && !arranging.beyond?.canStep(uid, step)
  return (
    <button
      type="submit"
      className="iconbtn"
      name="move"
      value={`${step}:${uid}`}
      data-step={`${step}:${uid}`}
      formAction={`#order-${uid}`}
      aria-label={`Move ${name} ${step}`}
      // Not `disabled`, which would remove the focus when the item reaches the end.
      aria-disabled={isEnd || undefined}
      onClick={(event) => {
        event.preventDefault()
        arranging.step(uid, step)
      }}
    >
      <ConsoleIcon name={step === 'up' ? 'up' : 'chevron'} />
    </button>
  )
}

function EmptyPlace({ parent }: { parent: string }) {
  const { insideNoun } = useArranging()
  const { setNodeRef, isOver } = useDroppable({ id: `${parent}:empty`, data: { parent } satisfies PlaceData })
  return (
    <li ref={setNodeRef} className={isOver ? 'sortable-empty is-over' : 'sortable-empty'}>
      No {insideNoun[1]}
    </li>
  )
}

/** Limits drop targets to the item's level: its own list or, for inner items with `isAcross`, any inner list. */
function sameLevelOnly(isAcross: boolean): CollisionDetection {
  return (args) => {
    const parent = parentOf(args.active.data.current)
    const droppableContainers = args.droppableContainers.filter(({ data }) => {
      const other = parentOf(data.current)
      return isAcross && parent !== null ? other !== null : other === parent
    })
    return closestCenter({ ...args, droppableContainers })
  }
}

function parentOf(data: Record<string, unknown> | undefined): string | null {
  return (data as PlaceData | undefined)?.parent ?? null
}

function targetOf(items: SortableItem[], { over }: DragOverEvent | DragEndEvent): OrderPlace | null {
  if (!over) return null
  return placeOf(items, String(over.id)) ?? { parent: parentOf(over.data.current), index: 0 }
}

const instructions =
  'To move this item, press Space, then use the arrow keys. Press Space again to drop it, or Escape to cancel.'
/**
 * A picked-up item is over its own position at first. `isFirst` skips that announcement, because onDragStart already
 * makes it.
 */
function announcementsOf(items: SortableItem[], isFirst: { current: boolean }): Announcements {
  const name = (id: unknown) => nameOf(items, String(id))
  const target = (over: { id: unknown } | null) => over && placeInWords(items, String(over.id))
  return {
    onDragStart: ({ active }) => {
      isFirst.current = true
      return `Picked up ${name(active.id)}. It is ${placeInWords(items, String(active.id))}.`
    },
    onDragOver: ({ active, over }) => {
      const isOwnPlace = isFirst.current && over?.id === active.id
      isFirst.current = false
      return target(over) && !isOwnPlace ? `${name(active.id)} is now ${target(over)}.` : undefined
    },
    onDragEnd: ({ active, over }) =>
      target(over) ? `${name(active.id)} was dropped ${target(over)}.` : `${name(active.id)} was dropped where it was.`,
    onDragCancel: ({ active }) => `Canceled. ${name(active.id)} is where it was.`,
  }
}

function nameOf(items: SortableItem[], uid: string): string {
  const place = placeOf(items, uid)
  return (place && siblingsAt(items, place.parent)[place.index]?.name) ?? ''
}

/** Returns "at position 2 of 5 in Discover". */
function placeInWords(items: SortableItem[], uid: string): string {
  const place = placeOf(items, uid)
  if (!place) return ''
  const within = place.parent === null ? '' : ` in ${nameOf(items, place.parent)}`
  return `at position ${place.index + 1} of ${siblingsAt(items, place.parent).length}${within}`
}

function countOf(count: number, [one, many]: [string, string]): string {
  return `${count} ${count === 1 ? one : many}`
}
