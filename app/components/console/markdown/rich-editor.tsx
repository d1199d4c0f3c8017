import { type FocusEvent, useRef, useState } from 'react'
import type { MarkdownImage } from '~/lib/markdown-image.ts'
import { useShell } from '../../layout/shell.ts'
import { Icon } from '../../ui/icon.tsx'
import {
  clearFormatting,
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
import type { RichEditor as MadeEditor } from './make-editor.ts'
import { changeTable } from './tables.ts'
import { Toolbar, type ToolbarActions } from './toolbar.tsx'
import { useLinkPanel } from './use-link-panel.ts'
import { type RichEditorProps, useMadeEditor } from './use-made-editor.ts'

export type { RichEditorProps } from './use-made-editor.ts'

type Work = (view: MadeEditor['view']) => unknown

/** The toolbar, the text and the panels over them. markdown-field.tsx loads it only when there is something to edit. */
export function RichEditor(props: RichEditorProps) {
  const { label, control, placeholder, canUpload } = props
  const [dialog, setDialog] = useState<'address' | 'upload' | null>(null)
  const frame = useRef<HTMLDivElement>(null)
  const toolbar = useRef<HTMLDivElement>(null)
  const surface = useRef<HTMLDivElement>(null)
  const editor = useRef<MadeEditor | null>(null)
  const link = useLinkPanel(frame)
  const [note, setNote] = useState('')
  const { csrf } = useShell()
  const withView = (work: Work) => editor.current && work(editor.current.view)
  const act = (work: Work) =>
    withView((view) => {
      work(view)
      view.focus()
    })
  const actions = actionsOf(act, { editLink: () => withView(link.open), openDialog: setDialog })
  const { facts, isEmpty } = useMadeEditor(editor, props, {
    surface,
    toolbar,
    actions,
    follow: link.follow,
    csrf: csrf ?? '',
    showNote: setNote,
  })

  const hidePanelOutside = (event: FocusEvent) => {
    if (!frame.current?.contains(event.relatedTarget)) link.hide()
  }
  const closeDialog = () => {
    setDialog(null)
    // Waits until the dialog has returned the focus to the control that opened it.
    setTimeout(() => act(() => {}), 50)
  }
  const confirmImage = (image: MarkdownImage, isEdited: boolean) => {
    withView((view) => putImage(view, image, { isEdited }))
    closeDialog()
  }
  const edited = dialog === 'address' && editor.current ? selectedImage(editor.current.view.state) : null
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
      <div role="status">
        {note && (
          <p className="editor-note">
            <Icon name="alert" />
            <span>{note}</span>
            <button type="button" className="iconbtn" aria-label="Dismiss" onClick={() => setNote('')}>
              <Icon name="close" />
            </button>
          </p>
        )}
      </div>
      <FloatingLink link={link} act={act} />
      {dialog === 'address' && (
        <ImageAddressDialog
          image={edited}
          onCancel={closeDialog}
          onConfirm={(image) => confirmImage(image, edited !== null)}
        />
      )}
      {dialog === 'upload' && (
        <ImageUploadDialog onCancel={closeDialog} onConfirm={(image) => confirmImage(image, false)} />
      )}
    </div>
  )
}

function actionsOf(
  act: (work: Work) => void,
  ask: { editLink: () => void; openDialog: (dialog: 'address' | 'upload') => void },
): ToolbarActions {
  return {
    setBlock: (block) => {
      act((view) => setBlock(view, block))
      // Waits until the list of choices has returned the focus to its button.
      setTimeout(() => act(() => {}))
    },
    toggle: (mark) => act((view) => run(view, toggle(mark))),
    editLink: ask.editLink,
    insertImage: () => ask.openDialog('address'),
    uploadImage: () => ask.openDialog('upload'),
    changeTable: (change) => act((view) => changeTable(view, change)),
    clear: () => act(clearFormatting),
    undo: () => act((view) => run(view, undo)),
    redo: () => act((view) => run(view, redo)),
  }
}

function FloatingLink({ link, act }: { link: ReturnType<typeof useLinkPanel>; act: (work: Work) => void }) {
  const { panel } = link
  if (!panel) return null
  return (
    <LinkEditor
      key={`${panel.from} ${panel.href} ${panel.hasFocus}`}
      href={panel.href}
      style={{ top: panel.top, left: panel.left }}
      hasFocus={panel.hasFocus}
      onAccept={(href) => {
        link.dismiss()
        act((view) => setLink(view, href, panel))
        link.hide()
      }}
      onRemove={() => {
        act((view) => removeLink(view, panel))
        link.hide()
      }}
      onClose={() => {
        link.dismiss()
        link.hide()
        act(() => {})
      }}
    />
  )
}
