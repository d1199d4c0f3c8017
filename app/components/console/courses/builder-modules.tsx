/** The modules in the builder of a course: their notes, and the picker that adds some. */
import { useFetcher } from '@remix-run/react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { mostPickedModules, pickedModules } from '~/forms/courses.ts'
import { Icon } from '../../ui/icon.tsx'
import { Picker } from '../picker/picker.tsx'
import { PickerDialog } from '../picker/picker-dialog.tsx'
import type { PickerView, PickItem } from '../picker/view.ts'
import { moduleInWords } from './module-status.ts'
import type { BuilderModule } from './view.ts'

type Plans = { value: string; label: string }[]

const source = '/dashboard/courses-modules/'

type NotesProps = { module: BuilderModule | undefined; planUids: ReadonlySet<string>; plans: Plans }

/** The status of a module, and a warning about the course's groups that cannot open it. */
export function ModuleNotes({ module, planUids, plans }: NotesProps) {
  if (!module) return null
  const locked = plans.filter(({ value }) => planUids.has(value) && !module.planUids.includes(value))
  return (
    <span className="muted small block">
      {moduleInWords(module)}
      {locked.length > 0 && (
        <strong className="error">
          <Icon name="alert" />
          {locked.map(({ label }) => label).join(', ')} cannot open it.
        </strong>
      )}
    </span>
  )
}

/** The groups that are chosen in the form around the builder. */
export function useChosenPlans(root: RefObject<HTMLElement>, plans: Plans): ReadonlySet<string> {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const form = root.current?.closest('form')
    if (!form) return
    const read = () => {
      const values = new FormData(form).getAll('accessPlanUids').map(String)
      setChosen(new Set(plans.map(({ value }) => value).filter((value) => values.includes(value))))
    }
    read()
    form.addEventListener('change', read)
    return () => form.removeEventListener('change', read)
  }, [root, plans])
  return chosen
}

/** The picker without JavaScript. Its buttons post the form of the course. */
export function PlainPicker({ chapter, view }: { chapter: string; view: PickerView }) {
  return (
    <section aria-label="Add modules">
      <input type="hidden" name="pickFor" value={chapter} />
      <Picker name={pickedModules} view={view} most={mostPickedModules} noun={['module', 'modules']} source={source} />
      <p className="mt-3">
        <button type="submit" className="btn btn--primary" name="build" value={`add-modules:${chapter}`}>
          Add the chosen modules
        </button>{' '}
        <button type="submit" className="btn btn--quiet" name="build" value="close-picker">
          Cancel
        </button>
      </p>
    </section>
  )
}

type PickProps = {
  /** The first page, if the server has sent it already. */
  view?: PickerView
  isOpen: boolean
  taken: PickItem[]
  onClose: () => void
  onPick: (modules: Record<string, BuilderModule>) => void
}

/** Chooses modules in a dialog. A module can be in a course only once. */
export function PickModules({ view, isOpen, taken, onClose, onPick }: PickProps) {
  const page = useFetcher<PickerView>()
  const picked = useFetcher<{ modules: Record<string, BuilderModule> }>()
  const [chosen, setChosen] = useState<PickItem[]>([])
  const load = page.load
  const first = page.data ?? view
  useEffect(() => {
    if (isOpen) load(source)
  }, [isOpen, load])
  const latest = useRef(onPick)
  latest.current = onPick
  const found = picked.data?.modules
  useEffect(() => {
    if (found) latest.current(found)
  }, [found])
  return (
    <PickerDialog
      title="Add Modules"
      isOpen={isOpen}
      onClose={onClose}
      canSubmit={chosen.length > 0 && picked.state === 'idle'}
      onSubmit={() =>
        picked.load(`${source}?${new URLSearchParams({ modules: chosen.map(({ uid }) => uid).join(' ') })}`)
      }
    >
      {first && (
        <Picker
          name={pickedModules}
          view={first}
          most={mostPickedModules}
          noun={['module', 'modules']}
          source={source}
          taken={taken}
          onChange={setChosen}
        />
      )}
    </PickerDialog>
  )
}
