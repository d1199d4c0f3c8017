import { type MutableRefObject, type RefObject, useEffect, useRef, useState } from 'react'
import { type BlockType, blockTypes, type EditorFacts, factsOf, type LinkRange, type MarkName } from './commands.ts'
import { makeEditor, type RichEditor } from './make-editor.ts'
import { shortcuts } from './shortcuts.ts'
import type { ToolbarActions } from './toolbar.tsx'

export type RichEditorProps = {
  label: string
  markdown: string
  /** Attributes of the editing surface: its id, its description and whether it is invalid. */
  control: Record<string, string | undefined>
  placeholder?: string
  canUpload: boolean
  hasFocus: boolean
  onChange: (markdown: string) => void
  /** Called when the editor is ready, with a function that focuses it. */
  onReady: (focus: () => void) => void
  /** Called if the editor cannot handle this text. */
  onFail: () => void
}

type Around = {
  surface: RefObject<HTMLElement>
  toolbar: RefObject<HTMLElement>
  actions: ToolbarActions
  follow: (view: RichEditor['view'], link: LinkRange | null) => void
  csrf: string
  /** Tells the author what happened to pasted pictures. */
  showNote: (sentence: string) => void
}

const atFirst: EditorFacts = {
  block: 'Normal',
  marks: new Set(),
  link: null,
  canUndo: false,
  canRedo: false,
  tableChanges: new Set(),
}

/** Creates the editor once, and destroys it with the component. It always calls the props of the latest render. */
export function useMadeEditor(editor: MutableRefObject<RichEditor | null>, props: RichEditorProps, around: Around) {
  const [facts, setFacts] = useState(atFirst)
  const [isEmpty, setEmpty] = useState(props.markdown.trim() === '')
  const latest = useRef({ props, around })
  latest.current = { props, around }

  useEffect(() => {
    let isGone = false
    const root = latest.current.around.surface.current
    if (!root) return
    const made = makeEditor({
      root,
      markdown: latest.current.props.markdown,
      attributes: () => attributesOf(latest.current.props),
      keys: keysOf(() => latest.current.around),
      uploads: {
        isAllowed: () => latest.current.props.canUpload,
        csrf: () => latest.current.around.csrf,
        showNote: (sentence) => latest.current.around.showNote(sentence),
      },
      onUpdate: (view, isChanged) => {
        const now = factsOf(view.state)
        setFacts(now)
        latest.current.around.follow(view, now.link)
        const { doc } = view.state
        setEmpty(doc.childCount === 1 && doc.firstChild?.type.name === 'paragraph' && doc.content.size <= 2)
        if (isChanged && editor.current) latest.current.props.onChange(editor.current.markdown())
      },
    })
    made.then(
      (ready) => {
        if (isGone) return ready.end()
        editor.current = ready
        setFacts(factsOf(ready.view.state))
        if (latest.current.props.hasFocus) ready.view.focus()
        latest.current.props.onReady(() => ready.view.focus())
      },
      () => isGone || latest.current.props.onFail(),
    )
    return () => {
      isGone = true
      editor.current?.end()
      editor.current = null
    }
  }, [editor])
  // The attributes of the surface change with the error of the field.
  const describing = JSON.stringify(props.control)
  useEffect(() => {
    if (describing) editor.current?.view.setProps({ attributes: () => attributesOf(latest.current.props) })
  }, [describing, editor])
  return { facts, isEmpty }
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

function keysOf(around: () => Around) {
  const doing = (work: (actions: ToolbarActions) => void) => () => {
    work(around().actions)
    return true
  }
  const names: MarkName[] = ['strong', 'emphasis', 'strike_through', 'inlineCode']
  const blocks = blockTypes.filter((type): type is BlockType & keyof typeof shortcuts => type in shortcuts)
  return {
    ...Object.fromEntries(names.map((name) => [shortcuts[name], doing((actions) => actions.toggle(name))])),
    ...Object.fromEntries(blocks.map((type) => [shortcuts[type], doing((actions) => actions.setBlock(type))])),
    [shortcuts.link]: doing((actions) => actions.editLink()),
    [shortcuts.clear]: doing((actions) => actions.clear()),
    'Alt-F10': doing(() => around().toolbar.current?.querySelector<HTMLElement>('button[tabindex="0"]')?.focus()),
  }
}
