import type { ReactNode } from 'react'
import { ConsoleIcon, type ConsoleIconName } from '../console-icon.tsx'
import { Popover } from '../popover.tsx'
import { DialogLink } from '../route-dialog.tsx'

/** The actions of a row: icons side by side, or a menu if the table is too narrow. */
export function RowActions({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="rowacts">
      <Popover
        className="iconbtn rowacts-more"
        label={`Actions for ${name}`}
        title="Actions"
        face={<ConsoleIcon name="more" />}
        panelClassName="rowacts-list popover--end"
      >
        {children}
      </Popover>
    </div>
  )
}

/** The content of a button in RowActions. The word is visible only in the menu. */
export function ActionFace({ icon, word }: { icon: ConsoleIconName; word: string }) {
  return (
    <>
      <ConsoleIcon name={icon} />
      <span className="word">{word}</span>
    </>
  )
}

type LinkProps = { icon: ConsoleIconName; word: string; label: string; to: string }

/** Links to a dialog over the table. The table keeps its page, order and scroll position. */
export function RowLink({ icon, word, label, to }: LinkProps) {
  return (
    <DialogLink className="iconbtn" to={to} aria-label={label} title={word} discover="none">
      <ActionFace icon={icon} word={word} />
    </DialogLink>
  )
}
