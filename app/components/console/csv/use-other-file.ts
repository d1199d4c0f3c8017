import { useState } from 'react'
import type { SentFile } from '../send-file.ts'

/** Tells whether another file has been chosen since one was checked. The report about that one is not about it. */
export function useOtherFile(checked: SentFile | null) {
  const [chosen, setChosen] = useState<SentFile | null>()
  return { isOther: chosen !== undefined && chosen?.name !== checked?.name, onChange: setChosen }
}
