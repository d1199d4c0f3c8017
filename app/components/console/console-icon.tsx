import type { ReactNode } from 'react'
import { Icon, IconFrame, type IconName } from '../ui/icon.tsx'

/** Icons that only the console shows, drawn like those of ui/icon.tsx. */
const shapes = {
  archive: <path d="M3.5 5h17v4h-17zM5 9v10.5h14V9M9.5 13h5" />,
  building: <path d="M5 20.5v-16h9v16M14 9.5h5v11M3.5 20.5h17M8 8h3M8 12h3M8 16h3" />,
  funnel: <path d="M4 5h16l-6.2 7.6v6.9l-3.6-2.2v-4.7z" />,
  grip: <path d="M9 6v.1M15 6v.1M9 12v.1M15 12v.1M9 18v.1M15 18v.1" strokeWidth="2.5" />,
  more: <path d="M12 5.5v.1M12 12v.1M12 18.5v.1" strokeWidth="2.5" />,
  people: (
    <>
      <circle cx="9" cy="8.5" r="3" />
      <path d="M3.5 19c.5-3.5 2.5-5.3 5.5-5.3s5 1.8 5.5 5.3M15 5.7a3 3 0 0 1 0 5.6M17 14c2 .7 3.2 2.4 3.5 5" />
    </>
  ),
  plus: <path d="M12 5v14M5 12h14" />,
  send: <path d="M4 11.5 20 4.5l-5.5 15-3.2-6.3zM11.3 13.2 20 4.5" />,
  tag: (
    <>
      <path d="M4 4.5h8l8 8-7.5 7.5-8.5-8z" />
      <circle cx="8.3" cy="8.7" r="1" fill="currentColor" />
    </>
  ),
  trash: <path d="M4.5 7h15M9.5 7V4.5h5V7M6.5 7l1 13h9l1-13M10.3 11v5M13.7 11v5" />,
  undo: <path d="M8.5 5 4 9.5 8.5 14M4.5 9.5H14a5 5 0 0 1 0 10H9.5" />,
  up: <path d="m6 14.5 6-6 6 6" />,
  upload: <path d="M12 15.5v-11M7.5 9 12 4.5 16.5 9M4.5 15v4.5h15V15" />,
} satisfies Record<string, ReactNode>

export type ConsoleIconName = IconName | keyof typeof shapes

/** An icon of the console or of ui/icon.tsx, as decoration. */
export function ConsoleIcon({ name, className }: { name: ConsoleIconName; className?: string }) {
  if (!(name in shapes)) return <Icon name={name as IconName} className={className} />
  return <IconFrame className={className}>{shapes[name as keyof typeof shapes]}</IconFrame>
}
