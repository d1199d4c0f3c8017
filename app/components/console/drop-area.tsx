import { type DragEvent, type ReactNode, useEffect, useState } from 'react'

type DropProps = { onFile: (file: File) => void; onSeveral: () => void; children: ReactNode }

/** Takes a file that is dropped anywhere on the field, also in place of the one that is there. One at a time. */
export function DropArea({ onFile, onSeveral, children }: DropProps) {
  const [depth, setDepth] = useState(0)
  useNoDropBeside()
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setDepth(0)
    const [file, second] = event.dataTransfer.files
    if (second) onSeveral()
    else if (file) onFile(file)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside chooses a file without dropping
    <div
      className={depth > 0 ? 'droparea is-over' : 'droparea'}
      onDragEnter={() => setDepth(depth + 1)}
      onDragLeave={() => setDepth(Math.max(0, depth - 1))}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      {children}
    </div>
  )
}

/** Refuses files that are dropped beside the field. The browser would open them in place of the page. */
function useNoDropBeside(): void {
  useEffect(() => {
    const refuse = (event: globalThis.DragEvent) => {
      // An element that takes the file has prevented the default already.
      if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'none'
    }
    window.addEventListener('dragover', refuse)
    window.addEventListener('drop', refuse)
    return () => {
      window.removeEventListener('dragover', refuse)
      window.removeEventListener('drop', refuse)
    }
  }, [])
}
