import { useFetcher } from '@remix-run/react'
import { useEffect, useRef, useState } from 'react'
import { useFormContext } from 'remix-validated-form'
import {
  applyBuild,
  type BuildStep,
  modulesOf,
  type Outline,
  type OutlineChapter,
  type OutlineSection,
  type PartField,
  partField,
  writeOutline,
} from '~/forms/course-outline.ts'
import { courseLimits, mostPickedModules, pickedModules } from '~/forms/courses.ts'
import { ownsField } from '~/forms/steps.ts'
import { FieldError } from '../../ui/fields.tsx'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useFieldErrors } from '../console-form.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { Picker } from '../picker/picker.tsx'
import { PickerDialog } from '../picker/picker-dialog.tsx'
import type { PickerView, PickItem } from '../picker/view.ts'
import { type Beyond, type SortableItem, SortableList } from '../sortable/sortable-list.tsx'
import { moduleInWords } from './module-status.ts'
import type { BuilderModule, PickingModules } from './view.ts'

type Props = {
  outline: Outline
  /** The modules of the outline, by uid. */
  modules: Record<string, BuilderModule>
  /** The groups of the course, for warnings about modules that they cannot open. */
  plans: { value: string; label: string }[]
  /** The picker that a button of the plain form has opened. */
  picking?: PickingModules | null
}

const source = '/dashboard/courses-modules/'

/**
 * Builds the outline of a course: sections, chapters and modules. The form posts their order as one text, and each name
 * and description in a field of its own. Without JavaScript each button posts the form (`build`, `move`, `remove`).
 */
export function CourseBuilder(props: Props) {
  const [outline, setOutline] = useState(props.outline)
  const [known, setKnown] = useState(props.modules)
  const [pickFor, setPickFor] = useState(props.picking?.chapter ?? null)
  /** The outline before the last removal, for Undo. */
  const [removed, setRemoved] = useState<{ name: string; outline: Outline } | null>(null)
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const focusOn = useRef<string | null>(null)
  const root = useRef<HTMLDivElement>(null)
  const planUids = useChosenPlans(root, props.plans)
  const isHydrated = useHydrated()
  const { errorAt, hasErrors, clearErrors } = useOutlineErrors()
  const change = (next: (before: Outline) => Outline) => {
    // The errors name places, which may have other parts now.
    clearErrors()
    setRemoved(null)
    setOutline(next)
  }
  const build = (step: BuildStep) => change((before) => applyBuild(before, step))
  const setText = (uid: string, field: PartField, text: string) =>
    setOutline((before) =>
      before.map((section) => ({
        ...(section.uid === uid ? { ...section, [field]: text } : section),
        chapters: section.chapters.map((chapter) => (chapter.uid === uid ? { ...chapter, [field]: text } : chapter)),
      })),
    )
  const remove = (uid: string) => {
    change((before) => applyBuild(before, { kind: 'remove', uid }))
    setRemoved({ name: nameIn(outline, uid) || known[uid]?.name || 'The new part', outline })
  }
  const beyond: Beyond = {
    canStep: (uid, step) => canStepBeyond(outline, uid, step),
    step: (uid, step) => {
      const next = applyBuild(outline, { kind: step, uid })
      change(() => next)
      return `in ${parentNameIn(next, uid)}`
    },
  }
  const add = (step: { kind: 'add-section' } | { kind: 'add-chapter'; section: string }) => {
    const uid = crypto.randomUUID()
    build({ ...step, uid })
    focusOn.current = partField(uid, 'name')
  }
  useEffect(() => {
    if (focusOn.current === null) return
    document.getElementById(focusOn.current)?.focus()
    focusOn.current = null
  })
  const moduleItem = (uid: string): SortableItem => ({
    uid,
    name: known[uid]?.name ?? 'A module that no longer exists',
    detail: <ModuleNotes module={known[uid]} planUids={planUids} plans={props.plans} />,
  })
  const chapterItem = (chapter: OutlineChapter, path: string): SortableItem => ({
    uid: chapter.uid,
    name: chapter.name || 'New chapter',
    title: <PartName part={chapter} noun="Chapter" place={path} onChange={setText} />,
    body: <PartDescription part={chapter} place={path} onChange={setText} />,
    foot:
      !isHydrated && props.picking?.chapter === chapter.uid ? (
        <PlainPicker chapter={chapter.uid} view={props.picking.picker} />
      ) : (
        <BuildButton value={`pick:${chapter.uid}`} label="Add modules" onPress={() => setPickFor(chapter.uid)} />
      ),
    inside: chapter.moduleUids.map(moduleItem),
  })
  // Hundreds of chapters would make each step slow, so those of a long course are folded away.
  const isLong = outline.reduce((count, { chapters }) => count + chapters.length, 0) > mostUnfolded
  const isFolded = ({ uid, chapters }: OutlineSection, index: number) =>
    isHydrated && isLong && chapters.length > 0 && !unfolded.has(uid) && !hasErrors(`sections.${index}.chapters`)
  const sectionItem = (section: OutlineSection, index: number): SortableItem => ({
    uid: section.uid,
    name: section.name || 'New section',
    title: <PartName part={section} noun="Section" place={`sections.${index}`} onChange={setText} />,
    body: (
      <>
        <PartDescription part={section} place={`sections.${index}`} onChange={setText} />
        {isFolded(section, index) ? (
          <FoldedChapters
            chapters={section.chapters}
            onUnfold={() => setUnfolded((before) => new Set([...before, section.uid]))}
          />
        ) : (
          <SortableList
            label={`Chapters of ${section.name || 'the new section'}`}
            items={section.chapters.map((chapter, place) =>
              chapterItem(chapter, `sections.${index}.chapters.${place}`),
            )}
            insideNoun={['module', 'modules']}
            isAcross
            beyond={beyond}
            onRemove={remove}
            onChange={(items) => change((before) => withChapters(before, section.uid, items))}
          />
        )}
        <BuildButton
          value={`add-chapter:${section.uid}`}
          label="Add chapter"
          onPress={() => {
            setUnfolded((before) => new Set([...before, section.uid]))
            add({ kind: 'add-chapter', section: section.uid })
          }}
        />
      </>
    ),
  })
  return (
    <div ref={root} className="stack">
      <input type="hidden" name="outline" value={writeOutline(outline)} />
      <FieldError id="sections" error={errorAt('sections')} />
      {outline.length === 0 && (
        <p className="muted">A course has sections, sections have chapters, and chapters have modules.</p>
      )}
      <SortableList
        label="Sections"
        items={outline.map(sectionItem)}
        onRemove={remove}
        onChange={(items) =>
          change((before) => items.flatMap(({ uid }) => before.find((section) => section.uid === uid) ?? []))
        }
      />
      <BuildButton value="add-section" label="Add section" onPress={() => add({ kind: 'add-section' })} />
      {removed && (
        <p className="notice" role="status">
          <span>{removed.name} was taken out, with everything in it.</span>
          <button className="btn btn--quiet" type="button" onClick={() => change(() => removed.outline)}>
            Undo
          </button>
        </p>
      )}
      <PickModules
        view={props.picking?.picker}
        isOpen={pickFor !== null}
        taken={modulesOf(outline).map((uid) => ({ uid, name: known[uid]?.name ?? '' }))}
        onClose={() => setPickFor(null)}
        onPick={(picked) => {
          setKnown((before) => ({ ...before, ...picked }))
          if (pickFor) build({ kind: 'add-modules', chapter: pickFor, moduleUids: Object.keys(picked) })
          setPickFor(null)
        }}
      />
    </div>
  )
}

/** A course with more chapters opens with the chapters of its sections folded away. */
const mostUnfolded = 30

/** The chapters of a section that is folded away. Their texts stay in the form. */
function FoldedChapters({ chapters, onUnfold }: { chapters: OutlineChapter[]; onUnfold: () => void }) {
  return (
    <>
      {chapters.flatMap(({ uid, ...texts }) =>
        (['name', 'description'] as const).map((field) => (
          <input key={partField(uid, field)} type="hidden" name={partField(uid, field)} value={texts[field]} />
        )),
      )}
      <button className="btn btn--quiet" type="button" onClick={onUnfold}>
        Show {chapters.length === 1 ? '1 chapter' : `${chapters.length} chapters`}
      </button>
    </>
  )
}

function nameIn(outline: Outline, uid: string): string | undefined {
  return outline.flatMap((section) => [section, ...section.chapters]).find((part) => part.uid === uid)?.name
}

/** The name of the section of a chapter, or of the chapter of a module. */
function parentNameIn(outline: Outline, uid: string): string {
  const section = outline.find(({ chapters }) => chapters.some((chapter) => chapter.uid === uid))
  const chapter = outline.flatMap(({ chapters }) => chapters).find(({ moduleUids }) => moduleUids.includes(uid))
  return (section ?? chapter)?.name || 'the new part'
}

/** Whether a chapter can go on to another section, or a module to another chapter. */
function canStepBeyond(outline: Outline, uid: string, step: 'up' | 'down'): boolean {
  const chapters = outline.flatMap((section) => section.chapters)
  const section = outline.findIndex((one) => one.chapters.some((chapter) => chapter.uid === uid))
  const [index, count] =
    section >= 0
      ? [section, outline.length]
      : [chapters.findIndex(({ moduleUids }) => moduleUids.includes(uid)), chapters.length]
  return index >= 0 && (step === 'up' ? index > 0 : index < count - 1)
}

/** Puts the chapters of a section, and the modules inside them, in the order of the sorted items. */
function withChapters(outline: Outline, sectionUid: string, items: SortableItem[]): Outline {
  return outline.map((section) => {
    if (section.uid !== sectionUid) return section
    const chapters = items.flatMap(({ uid, inside = [] }) => {
      const chapter = section.chapters.find((one) => one.uid === uid)
      return chapter ? [{ ...chapter, moduleUids: inside.map((module) => module.uid) }] : []
    })
    return { ...section, chapters }
  })
}

/**
 * The errors of the outline by place, such as `sections.0.name`. The library of the form writes `sections[0].name` for
 * what it has found in the browser.
 */
function useOutlineErrors() {
  const errors = useFieldErrors()
  const { clearError } = useFormContext()
  const namesOf = (place: string) => [place, place.replace(/\.(\d+)/g, '[$1]')]
  return {
    errorAt: (place: string) => namesOf(place).flatMap((name) => errors[name] ?? [])[0],
    hasErrors: (place: string) => Object.keys(errors).some((name) => ownsField(namesOf(place), name)),
    /** Clears the errors of a place and of everything inside it. */
    clearErrors: (place = 'sections') =>
      clearError(...Object.keys(errors).filter((name) => ownsField(namesOf(place), name))),
  }
}

type PartProps = {
  part: { uid: string; name: string; description: string }
  /** Where the part is in the outline, as errors name it. */
  place: string
  onChange: (uid: string, field: PartField, text: string) => void
}

/**
 * A text of a part. It joins the outline when its field is left, so that a key costs nothing in a long course. Its error
 * disappears when it changes.
 */
function usePartText({ part, place, onChange }: PartProps, field: PartField) {
  const { errorAt, clearErrors } = useOutlineErrors()
  const [text, setText] = useState(part[field])
  const error = errorAt(`${place}.${field}`)
  return {
    error,
    props: {
      value: text,
      onChange: (event: { currentTarget: { value: string } }) => {
        if (error) clearErrors(`${place}.${field}`)
        setText(event.currentTarget.value)
      },
      onBlur: () => {
        if (text !== part[field]) onChange(part.uid, field, text)
      },
    },
  }
}

function PartName({ noun, ...props }: PartProps & { noun: 'Section' | 'Chapter' }) {
  const { part } = props
  const { error, props: text } = usePartText(props, 'name')
  const id = partField(part.uid, 'name')
  return (
    <div className="field">
      <label htmlFor={id}>{noun} name</label>
      <input
        id={id}
        className="input"
        name={id}
        {...text}
        maxLength={courseLimits.name}
        autoComplete="off"
        aria-required
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
      />
      <FieldError id={id} error={error} />
    </div>
  )
}

/** The description, folded away while it is empty. */
function PartDescription(props: PartProps) {
  const { part } = props
  const { error, props: text } = usePartText(props, 'description')
  const id = partField(part.uid, 'description')
  const [isOpen] = useState(part.description !== '' || error !== undefined)
  return (
    <details open={isOpen}>
      <summary>
        <Icon name="chevron" />
        Description (optional)
      </summary>
      <textarea
        id={id}
        className="input"
        name={id}
        aria-label={`Description of ${part.name || 'the new part'}`}
        {...text}
        rows={2}
        maxLength={courseLimits.description}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
      />
      <FieldError id={id} error={error} />
    </details>
  )
}

type BuildProps = { value: string; label: string; onPress: () => void }

function BuildButton({ value, label, onPress }: BuildProps) {
  return (
    <p className="mt-3">
      <button
        type="submit"
        className="btn btn--secondary"
        name="build"
        value={value}
        formAction={value.includes(':') ? `#order-${value.split(':')[1]}` : undefined}
        // After modules were picked, the list above has grown, and the focus comes back without scrolling.
        onFocus={({ currentTarget }) => currentTarget.scrollIntoView({ block: 'nearest' })}
        onClick={(event) => {
          event.preventDefault()
          onPress()
        }}
      >
        <ConsoleIcon name="plus" />
        {label}
      </button>
    </p>
  )
}

type NotesProps = { module: BuilderModule | undefined; planUids: ReadonlySet<string>; plans: Props['plans'] }

/** The status of a module, and a warning about the course's groups that cannot open it. */
function ModuleNotes({ module, planUids, plans }: NotesProps) {
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
function useChosenPlans(root: React.RefObject<HTMLElement>, plans: Props['plans']): ReadonlySet<string> {
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
function PlainPicker({ chapter, view }: { chapter: string; view: PickerView }) {
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
function PickModules({ view, isOpen, taken, onClose, onPick }: PickProps) {
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
