import { useEffect, useRef, useState } from 'react'
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
import { FieldError } from '../../ui/fields.tsx'
import { useHydrated } from '../../ui/form.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { type Beyond, type SortableItem, SortableList } from '../sortable/sortable-list.tsx'
import { ModuleNotes, PickModules, PlainPicker, useChosenPlans } from './builder-modules.tsx'
import { PartDescription, PartName, useOutlineErrors } from './builder-parts.tsx'
import { canStepBeyond, nameIn, parentNameIn, withChapters } from './outline-places.ts'
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
    title: (
      <>
        {index === outline.length - 1 && <span id={lastSection} className="absolute" />}
        <PartName part={section} noun="Section" place={`sections.${index}`} onChange={setText} />
      </>
    ),
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

/** Where the plain form returns to when a section was added, which is then the last one. */
const lastSection = 'last-section'

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

type BuildProps = { value: string; label: string; onPress: () => void }

function BuildButton({ value, label, onPress }: BuildProps) {
  return (
    <p className="mt-3">
      <button
        type="submit"
        className="btn btn--secondary"
        name="build"
        value={value}
        formAction={`#${value.includes(':') ? `order-${value.split(':')[1]}` : lastSection}`}
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
