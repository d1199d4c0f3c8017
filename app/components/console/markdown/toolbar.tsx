import {
  Listbox,
  ListboxButton,
  ListboxOption,
  ListboxOptions,
  Menu,
  MenuButton,
  MenuHeading,
  MenuItem,
  MenuItems,
  MenuSection,
} from '@headlessui/react'
import { type KeyboardEvent, type ReactNode, type RefObject, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { ConsoleIcon, type ConsoleIconName } from '../console-icon.tsx'
import { type BlockType, blockTypes, type EditorFacts, type MarkName } from './commands.ts'
import { EditorIcon, type EditorIconName } from './editor-icon.tsx'
import { keysInWords, shortcuts } from './shortcuts.ts'
import type { TableChange } from './tables.ts'

export type ToolbarActions = {
  setBlock: (block: BlockType) => void
  toggle: (mark: MarkName) => void
  editLink: () => void
  insertImage: () => void
  uploadImage: () => void
  changeTable: (change: TableChange) => void
  clear: () => void
  undo: () => void
  redo: () => void
}

type Props = {
  label: string
  facts: EditorFacts
  canUpload: boolean
  actions: ToolbarActions
  toolbarRef: RefObject<HTMLDivElement>
}

const marks: { name: MarkName; icon: EditorIconName; label: string }[] = [
  { name: 'strong', icon: 'bold', label: 'Bold' },
  { name: 'emphasis', icon: 'italic', label: 'Italic' },
  { name: 'strike_through', icon: 'strike', label: 'Strikethrough' },
  { name: 'inlineCode', icon: 'code', label: 'Code' },
]

/** The editor's toolbar. It is one tab stop; arrow keys move between its buttons. */
export function Toolbar({ label, facts, canUpload, actions, toolbarRef }: Props) {
  const [current, setCurrent] = useState('block')
  const stop = (id: string) => ({ tabIndex: current === id ? 0 : -1, onFocus: () => setCurrent(id) })
  return (
    <div
      ref={toolbarRef}
      className="editor-bar"
      role="toolbar"
      aria-label={`Formatting of ${label}`}
      onKeyDown={moveFocus}
      // Keeps the selection in the text.
      onMouseDown={(event) => event.preventDefault()}
    >
      <BlockChoice block={facts.block} onChoose={actions.setBlock} stop={stop('block')} />
      <Tool label="Undo" keys={shortcuts.undo} isOff={!facts.canUndo} onClick={actions.undo} stop={stop('undo')}>
        <EditorIcon name="undo" />
      </Tool>
      <Tool label="Redo" keys={shortcuts.redo} isOff={!facts.canRedo} onClick={actions.redo} stop={stop('redo')}>
        <EditorIcon name="redo" />
      </Tool>
      {marks.map(({ name, icon, label }) => (
        <Tool
          key={name}
          label={label}
          keys={shortcuts[name]}
          isPressed={facts.marks.has(name)}
          onClick={() => actions.toggle(name)}
          stop={stop(name)}
        >
          <EditorIcon name={icon} />
        </Tool>
      ))}
      <Tool
        label="Link"
        keys={shortcuts.link}
        isPressed={facts.link !== null}
        onClick={actions.editLink}
        stop={stop('link')}
      >
        <Icon name="link" />
      </Tool>
      {canUpload ? (
        <ImageMenu actions={actions} stop={stop('image')} />
      ) : (
        <Tool label="Insert Image" onClick={actions.insertImage} stop={stop('image')}>
          <EditorIcon name="image" />
        </Tool>
      )}
      <TableMenu possible={facts.tableChanges} onChange={actions.changeTable} stop={stop('table')} />
      <Tool label="Clear formatting" keys={shortcuts.clear} onClick={actions.clear} stop={stop('clear')}>
        <EditorIcon name="clear" />
      </Tool>
    </div>
  )
}

type Stop = { tabIndex: number; onFocus: () => void }

type ToolProps = {
  label: string
  keys?: string
  isPressed?: boolean
  /** Disables the button, but arrow keys still stop at it. */
  isOff?: boolean
  onClick: () => void
  stop: Stop
  children: ReactNode
}

function Tool({ label, keys, isPressed, isOff, onClick, stop, children }: ToolProps) {
  return (
    <button
      {...stop}
      type="button"
      className="iconbtn"
      aria-label={label}
      title={keys ? `${label} (${keysInWords(keys)})` : label}
      aria-pressed={isPressed}
      aria-disabled={isOff || undefined}
      onClick={() => !isOff && onClick()}
    >
      {children}
    </button>
  )
}

type BlockProps = { block: string; onChoose: (block: BlockType) => void; stop: Stop }

function BlockChoice({ block, onChoose, stop }: BlockProps) {
  return (
    <Listbox as="div" className="editor-pop" value={block} onChange={(chosen) => onChoose(chosen as BlockType)}>
      <ListboxButton {...stop} className="editor-block" aria-label={`Block type: ${block}`} title="Block type">
        <span>{block}</span>
        <Icon name="chevron" />
      </ListboxButton>
      <ListboxOptions modal={false} className="options editor-options">
        {blockTypes.map((type) => (
          <ListboxOption key={type} value={type} className="option">
            <span className={`editor-option is-${type.toLowerCase().replaceAll(' ', '-')}`}>{type}</span>
            {type in shortcuts && <kbd>{keysInWords(shortcuts[type as keyof typeof shortcuts])}</kbd>}
          </ListboxOption>
        ))}
      </ListboxOptions>
    </Listbox>
  )
}

function ImageMenu({ actions, stop }: { actions: ToolbarActions; stop: Stop }) {
  return (
    <Menu as="div" className="editor-pop">
      <MenuButton {...stop} className="iconbtn" aria-label="Insert Image" title="Insert Image">
        <EditorIcon name="image" />
      </MenuButton>
      <MenuItems modal={false} className="options editor-options">
        <MenuSection>
          <MenuHeading className="editor-menu-head">Insert Image</MenuHeading>
          <MenuItem>
            <button type="button" className="option" onClick={actions.uploadImage}>
              <ConsoleIcon name="upload" />
              Upload File
            </button>
          </MenuItem>
          <MenuItem>
            <button type="button" className="option" onClick={actions.insertImage}>
              <Icon name="link" />
              Image URL
            </button>
          </MenuItem>
        </MenuSection>
      </MenuItems>
    </Menu>
  )
}

const tableChanges: { change: TableChange; label: string; icon: ConsoleIconName }[] = [
  { change: 'insert', label: 'Insert table', icon: 'plus' },
  { change: 'row', label: 'Add row below', icon: 'plus' },
  { change: 'column', label: 'Add column to the right', icon: 'plus' },
  { change: 'delete-row', label: 'Remove row', icon: 'trash' },
  { change: 'delete-column', label: 'Remove column', icon: 'trash' },
  { change: 'delete', label: 'Remove table', icon: 'trash' },
]

type TableProps = { possible: ReadonlySet<TableChange>; onChange: (change: TableChange) => void; stop: Stop }

/** Lists the table changes that are possible at the caret, and the keys to move between cells. */
function TableMenu({ possible, onChange, stop }: TableProps) {
  const isInside = !possible.has('insert')
  return (
    <Menu as="div" className="editor-pop">
      <MenuButton {...stop} className="iconbtn" aria-label="Table" title="Table" aria-pressed={isInside}>
        <EditorIcon name="table" />
      </MenuButton>
      <MenuItems modal={false} className="options editor-options">
        {tableChanges
          .filter(({ change }) => possible.has(change))
          .map(({ change, label, icon }) => (
            <MenuItem key={change}>
              <button
                type="button"
                className="option"
                // Waits until the menu has returned the focus to its button.
                onClick={() => setTimeout(() => onChange(change))}
              >
                <ConsoleIcon name={icon} />
                <span>{label}</span>
              </button>
            </MenuItem>
          ))}
        {isInside && (
          <MenuSection>
            <MenuHeading className="editor-menu-head editor-menu-keys">
              Next cell: Tab, previous: Shift+Tab. Press Escape and then Tab to leave the table.
            </MenuHeading>
          </MenuSection>
        )}
      </MenuItems>
    </Menu>
  )
}

const steps: Record<string, (at: number, count: number) => number> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
}

function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(':scope > button, :scope > .editor-pop > button')]
  const at = stops.indexOf(event.target as HTMLElement)
  const step = steps[event.key]
  // Open menus in the toolbar handle their keys themselves.
  if (at < 0 || !step) return
  event.preventDefault()
  stops[step(at, stops.length)]?.focus()
}
