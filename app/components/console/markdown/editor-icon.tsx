import type { ReactNode } from 'react'
import { IconFrame } from '../../ui/icon.tsx'

/** Icons of the editor, drawn like those of ui/icon.tsx, but loaded with the editor. */
const shapes = {
  bold: <path d="M7 4.5h6a3.75 3.75 0 0 1 0 7.5H7zM7 12h7a3.75 3.75 0 0 1 0 7.5H7z" />,
  italic: <path d="M10.5 4.5H18M6 19.5h7.5M14.5 4.5l-5 15" />,
  strike: <path d="M4 12h16M16.5 8c0-2-1.8-3.5-4.5-3.5S7.5 6 7.5 8M7 16c0 2 2 3.5 5 3.5s5-1.5 5-3.5" />,
  code: <path d="m8.5 7-5 5 5 5M15.5 7l5 5-5 5" />,
  image: <path d="M4 5h16v14H4zM4 16l4.5-4.5 4 4 3-3L20 17M15.5 9v.1" />,
  table: <path d="M4 5h16v14H4zM4 10h16M4 14.5h16M10 5v14" />,
  clear: <path d="M5 6V4.5h13V6M11.5 4.5 9 15M6.5 19.5H12M15 14l5 5.5M20 14l-5 5.5" />,
  undo: <path d="M8.5 5 4.5 9l4 4M5 9h9a5 5 0 0 1 0 10h-3" />,
  redo: <path d="m15.5 5 4 4-4 4M19 9h-9a5 5 0 0 0 0 10h3" />,
} satisfies Record<string, ReactNode>

export type EditorIconName = keyof typeof shapes

export function EditorIcon({ name }: { name: EditorIconName }) {
  return <IconFrame>{shapes[name]}</IconFrame>
}
