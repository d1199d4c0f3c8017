/** The editor's keyboard shortcuts (C-277). "Mod" is Ctrl, or Command on Apple devices. */
export const shortcuts = {
  strong: 'Mod-b',
  emphasis: 'Mod-i',
  strike_through: 'Mod-Shift-x',
  inlineCode: 'Mod-e',
  link: 'Mod-k',
  clear: 'Mod-\\',
  undo: 'Mod-z',
  redo: 'Mod-y',
  Normal: 'Mod-Alt-0',
  'Heading 1': 'Mod-Alt-1',
  'Heading 2': 'Mod-Alt-2',
  'Heading 3': 'Mod-Alt-3',
  'Numbered List': 'Mod-Shift-7',
  'Bulleted List': 'Mod-Shift-8',
  nextCell: 'Mod-]',
  previousCell: 'Mod-[',
} as const

/** Returns a shortcut as people write it: "Ctrl+Shift+X" or "⇧⌘X". */
export function keysInWords(shortcut: string): string {
  const isApple = /mac|iphone|ipad/i.test(navigator.platform)
  const keys = shortcut.split('-').map((key) => (key.length === 1 ? key.toUpperCase() : key))
  if (!isApple) return keys.join('+').replace('Mod', 'Ctrl')
  return keys.join('').replace(/Mod(Shift|Alt)?/, (_, second) => `${marks[second as 'Shift'] ?? ''}⌘`)
}

const marks = { Shift: '⇧', Alt: '⌥' }
