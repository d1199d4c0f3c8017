import { type FocusEvent, useEffect, useRef, useState } from 'react'
import type { MarkdownImage } from '~/lib/markdown-image.ts'
import {
  type BlockType,
  blockTypes,
  clearFormatting,
  type EditorFacts,
  factsOf,
  type LinkRange,
  type MarkName,
  putImage,
  redo,
  removeLink,
  run,
  selectedImage,
  setBlock,
  setLink,
  toggle,
  undo,
} from './commands.ts'
import { ImageAddressDialog, ImageUploadDialog } from './image-dialogs.tsx'
import { LinkEditor } from './link-editor.tsx'
import { type RichEditor as MadeEditor, makeEditor } from './make-editor.ts'
import { shortcuts } from './shortcuts.ts'
import { Toolbar, type ToolbarActions } from './toolbar.tsx'

export type RichEditorProps = {
  label: string
  markdown: string
  /** Of the editing surface: id, what describes it, whether it is wrong. */
  control: Record<string, string | undefined>
  placeholder?: string
  canUpload: boolean
  hasFocus: boolean
  onChange: (markdown: string) => void
  /** Gives the way to focus it, when it is there to be edited in. */
  onReady: (focus: () => void) => void
  /** This text cannot be edited so. */
  onFail: () => void
}

type Panel = LinkRange & { hasFocus: boolean; top: number; left: number }

const atFirst: EditorFacts = { block: 'Normal', marks: new Set(), link: null, canUndo: false, canRedo: false }

/** Toolbar, text and what floats over them. Loaded only where there is something to edit: markdown-field.tsx. */
export function RichEditor(props: RichEditorProps) {
  const { label, control, placeholder, canUpload } = props
  const [facts, setFacts] = useState(atFirst)
  const [isEmpty, setEmpty] = useState(props.markdown.trim() === '')
  const [panel, setPanel] = useState<Panel | null>(null)
  const [dialog, setDialog] = useState<'address' | 'upload' | null>(null)
  const frame = useRef<HTMLDivElement>(null)
  const toolbar = useRef<HTMLDivElement>(null)
  const surface = useRef<HTMLDivElement>(null)
  const editor = useRef<MadeEditor | null>(null)
  const dismissed = useRef<number | null>(null)
  const latest = useRef(props)
  latest.current = props

  const withView = (work: (view: MadeEditor['view']) => void) => {
    const view = editor.current?.view
    if (view) work(view)
  }
  const act = (work: (view: MadeEditor['view']) => unknown) =>
    withView((view) => {
      work(view)
      view.focus()
    })
  const openLink = () =>
    withView((view) => {
      const { from, to } = view.state.selection
      setPanel(panelAt(view, factsOf(view.state).link ?? { from, to, href: '' }, frame.current, true))
    })
  const closePanel = () => {
    dismissed.current = panel?.from ?? null
    setPanel(null)
    act(() => {})
  }
  const actions: ToolbarActions = {
    setBlock: (block) => {
      act((view) => setBlock(view, block))
      // The list of choices gives the focus back to its button first.
      setTimeout(() => act(() => {}))
    },
    toggle: (mark) => act((view) => run(view, toggle(mark))),
    editLink: openLink,
    insertImage: () => setDialog('address'),
    uploadImage: () => setDialog('upload'),
    clear: () => act(clearFormatting),
    undo: () => act((view) => run(view, undo)),
    redo: () => act((view) => run(view, redo)),
  }
  const current = useRef(actions)
  current.current = actions

  useEffect(() => {
    let isGone = false
    const root = surface.current
    if (!root) return
    const made = makeEditor({
      root,
      markdown: latest.current.markdown,
      attributes: () => attributesOf(latest.current),
      keys: keysOf(current, () => toolbar.current?.querySelector<HTMLElement>('button[tabindex="0"]')?.focus()),
      onUpdate: (view, isChanged) => {
        const now = factsOf(view.state)
        setFacts(now)
        if (dismissed.current !== now.link?.from) dismissed.current = null
        const isNear = now.link !== null && view.hasFocus() && dismissed.current === null
        // Whoever is in the link editor keeps it until they leave it.
        const isInPanel = !view.hasFocus() && frame.current?.contains(document.activeElement)
        if (!isInPanel) setPanel(isNear && now.link ? panelAt(view, now.link, frame.current, false) : null)
        const { doc } = view.state
        setEmpty(doc.childCount === 1 && doc.firstChild?.type.name === 'paragraph' && doc.content.size <= 2)
        if (isChanged && editor.current) latest.current.onChange(editor.current.markdown())
      },
    })
    made.then(
      (ready) => {
        if (isGone) return ready.end()
        editor.current = ready
        setFacts(factsOf(ready.view.state))
        if (latest.current.hasFocus) ready.view.focus()
        latest.current.onReady(() => ready.view.focus())
      },
      () => isGone || latest.current.onFail(),
    )
    return () => {
      isGone = true
      editor.current?.end()
      editor.current = null
    }
  }, [])
  // What describes the surface changes with its error.
  const describing = JSON.stringify(control)
  useEffect(() => {
    if (describing) editor.current?.view.setProps({ attributes: () => attributesOf(latest.current) })
  }, [describing])

  const hidePanelOutside = (event: FocusEvent) => {
    if (!frame.current?.contains(event.relatedTarget)) setPanel(null)
  }
  const closeDialog = () => {
    setDialog(null)
    // After the dialog has given the focus back to where it was opened.
    setTimeout(() => act(() => {}), 50)
  }
  const confirmImage = (image: MarkdownImage) => {
    withView((view) => putImage(view, image))
    closeDialog()
  }
  return (
    <div
      ref={frame}
      className="richtext"
      role="group"
      aria-label={`Editor of ${label}`}
      data-invalid={control['aria-invalid']}
      onBlur={hidePanelOutside}
    >
      <Toolbar toolbarRef={toolbar} label={label} facts={facts} canUpload={canUpload} actions={actions} />
      <div className="editor-place">
        {isEmpty && placeholder && (
          <p className="editor-placeholder" aria-hidden="true">
            {placeholder}
          </p>
        )}
        <div ref={surface} />
      </div>
      {panel && (
        <LinkEditor
          key={`${panel.from} ${panel.href} ${panel.hasFocus}`}
          href={panel.href}
          style={{ top: panel.top, left: panel.left }}
          hasFocus={panel.hasFocus}
          onAccept={(href) => {
            dismissed.current = panel.from
            act((view) => setLink(view, href, panel))
            setPanel(null)
          }}
          onRemove={() => {
            act((view) => removeLink(view, panel))
            setPanel(null)
          }}
          onClose={closePanel}
        />
      )}
      {dialog === 'address' && (
        <ImageAddressDialog
          image={editor.current && selectedImage(editor.current.view.state)}
          onCancel={closeDialog}
          onConfirm={confirmImage}
        />
      )}
      {dialog === 'upload' && <ImageUploadDialog onCancel={closeDialog} onConfirm={confirmImage} />}
    </div>
  )
}

function attributesOf({ label, control, placeholder }: RichEditorProps): Record<string, string> {
  const given = Object.entries(control).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return {
    ...Object.fromEntries(given),
    class: 'prose editor-text',
    role: 'textbox',
    'aria-multiline': 'true',
    'aria-label': label,
    ...(placeholder && { 'aria-placeholder': placeholder }),
  }
}

function keysOf(actions: { current: ToolbarActions }, goToToolbar: () => void) {
  const doing = (work: () => void) => () => {
    work()
    return true
  }
  const names: MarkName[] = ['strong', 'emphasis', 'strike_through', 'inlineCode']
  const blocks = blockTypes.filter((type): type is BlockType & keyof typeof shortcuts => type in shortcuts)
  return {
    ...Object.fromEntries(names.map((name) => [shortcuts[name], doing(() => actions.current.toggle(name))])),
    ...Object.fromEntries(blocks.map((type) => [shortcuts[type], doing(() => actions.current.setBlock(type))])),
    [shortcuts.link]: doing(() => actions.current.editLink()),
    [shortcuts.clear]: doing(() => actions.current.clear()),
    'Alt-F10': doing(goToToolbar),
  }
}

const panelWidth = 384

/** Below the link, inside the frame. */
function panelAt(view: MadeEditor['view'], link: LinkRange, frame: HTMLElement | null, hasFocus: boolean): Panel {
  const box = frame?.getBoundingClientRect() ?? new DOMRect()
  const start = view.coordsAtPos(link.from)
  const end = view.coordsAtPos(link.to)
  const left = Math.max(4, Math.min(start.left - box.left, box.width - panelWidth - 8))
  return { ...link, hasFocus, top: end.bottom - box.top + 6, left }
}
