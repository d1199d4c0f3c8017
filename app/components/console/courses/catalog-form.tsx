import { useActionData, useFetcher } from '@remix-run/react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { z } from 'zod'
import { mostInCatalog } from '~/forms/catalog.ts'
import { useHydrated } from '../../ui/form.tsx'
import { ConsoleForm } from '../console-form.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { Picker } from '../picker/picker.tsx'
import { PickerDialog } from '../picker/picker-dialog.tsx'
import type { PickerView, PickItem } from '../picker/view.ts'
import { ListFormFoot, ListTabs } from '../sortable/list-form.tsx'
import { SortableList } from '../sortable/sortable-list.tsx'
import { SubmitButton } from '../submit-button.tsx'

/**
 * The list as it is on the page, which is not saved yet, and the picker. Also the answer to buttons of the plain form,
 * then with the list that the form was opened with.
 */
export type CatalogView = { items: PickItem[]; openedItems?: string; picker: PickerView }

const path = '/dashboard/courses-page/'
const source = '/dashboard/courses-page/candidates/'
const formId = 'course-list'
/** The service checks the list, which the form sends as one text. */
const schema = z.object({})

const uidsOf = (items: PickItem[]) => items.map(({ uid }) => uid).join(' ')

/** The courses that learners see, in order. Changes are kept on the page until they are saved or reset. */
export function CatalogForm({ items: savedItems, picker }: CatalogView) {
  const answer = useActionData<Partial<CatalogView> | null>()
  const isHydrated = useHydrated()
  const [saved, sent] = [uidsOf(savedItems), answer?.items && uidsOf(answer.items)]
  // The answer to a conflict leaves it out, because the form goes on from the list that is stored now.
  const base = answer?.openedItems ?? saved
  const latest = useRef({ sentItems: answer?.items, savedItems })
  latest.current = { sentItems: answer?.items, savedItems }
  const [items, setItems] = useState(answer?.items ?? savedItems)
  // The lists are new objects whenever the page is loaded, so their uids are compared. An answer without a list, such as
  // that of a lost connection, must not undo what was changed.
  useEffect(() => {
    if (sent !== undefined) setItems(latest.current.sentItems ?? [])
  }, [sent])
  useEffect(() => setItems(latest.current.sentItems ?? latest.current.savedItems), [saved])
  const add = useCallback((added: PickItem[]) => {
    setItems((before) => [...before, ...added.filter(({ uid }) => before.every((item) => item.uid !== uid))])
  }, [])
  const form = (
    <ConsoleForm
      id={formId}
      schema={schema}
      // Enter belongs to the search field of the plain form's picker.
      intent={isHydrated ? null : 'search'}
      guard={{ noun: 'course list', mode: 'editing' }}
      className="orderform"
    >
      <input type="hidden" name="items" value={uidsOf(items)} />
      <input type="hidden" name="openedItems" value={base} />
      {items.length === 0 && <p className="muted mb-4">The list is empty, so learners see no courses.</p>}
      <SortableList
        label="Courses"
        items={items.map(({ uid, name }) => ({ uid, name }))}
        onChange={(order) => setItems(order.flatMap(({ uid }) => items.find((item) => item.uid === uid) ?? []))}
        onRemove={(uid) => setItems(items.filter((item) => item.uid !== uid))}
      />
      {isHydrated ? <AddCourses listed={items} onAdd={add} /> : <PlainPicker view={answer?.picker ?? picker} />}
      <ListFormFoot
        formId={formId}
        isChanged={uidsOf(items) !== base}
        changed="The list has changed and is not saved yet."
        onReset={() => setItems(savedItems)}
        resetTo={path}
      />
    </ConsoleForm>
  )
  return <ListTabs label="Parts of the page" tabs={[{ uid: formId, name: 'Course List', content: form }]} />
}

function PlainPicker({ view }: { view: PickerView }) {
  return (
    <section className="my-6" aria-label="Add courses">
      <h2 className="formtabs-title">Add courses</h2>
      <Picker name="added" view={view} most={mostInCatalog} noun={['course', 'courses']} source={source} />
      <p className="mt-4">
        <SubmitButton form={formId} intent="add" className="btn--secondary" busyWord="Adding">
          Add to the list
        </SubmitButton>
      </p>
    </section>
  )
}

/** The picker in a dialog. What is chosen comes to the end of the list, which is saved later. */
function AddCourses({ listed, onAdd }: { listed: PickItem[]; onAdd: (items: PickItem[]) => void }) {
  const fetcher = useFetcher<PickerView>()
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<PickItem[]>([])
  const open = () => {
    setChosen([])
    setOpen(true)
    fetcher.load(source)
  }
  return (
    <>
      <p className="mt-4">
        <button className="btn btn--secondary" type="button" onClick={open}>
          <ConsoleIcon name="plus" />
          Add Courses
        </button>
      </p>
      <PickerDialog
        title="Add Courses"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        canSubmit={chosen.length > 0}
        onSubmit={() => {
          onAdd(chosen)
          setOpen(false)
        }}
      >
        {fetcher.data && (
          <Picker
            name="added"
            view={fetcher.data}
            most={mostInCatalog}
            noun={['course', 'courses']}
            source={source}
            taken={listed}
            onChange={setChosen}
          />
        )}
      </PickerDialog>
    </>
  )
}
