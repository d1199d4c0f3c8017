import type { ReactNode } from 'react'
import { ConsoleIcon, type ConsoleIconName } from '../console-icon.tsx'
import { Popover } from '../popover.tsx'
import { DialogLink } from '../route-dialog.tsx'

type RowActionsProps = {
  name: string
  /** The words are visible beside the icons, too, for actions whose icons people do not know. */
  hasWords?: boolean
  children: ReactNode
}

/** The actions of a row: icons side by side, or a menu if the table is too narrow. */
export function RowActions({ name, hasWords = false, children }: RowActionsProps) {
  return (
    <div className={hasWords ? 'rowacts rowacts--words' : 'rowacts'}>
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

/** The content of a button in RowActions. The word is visible in the menu, and with `hasWords`. */
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
