import { fileAddress } from '~/lib/file-address.ts'
import type { SentFile } from './send-file.ts'

/** The hidden fields of a stored file. Its name and size come back with a refused form, whose page shows them. */
export function KeptFields({ name, value }: { name: string; value: SentFile | null }) {
  return (
    <>
      <input type="hidden" name={name} value={value?.name ?? ''} />
      <input type="hidden" name={`${name}-fileName`} value={value?.originalFileName ?? ''} />
      <input type="hidden" name={`${name}-fileSize`} value={value?.size ?? ''} />
    </>
  )
}

/** The `value` of a file field from what a refused form sent back. */
export function keptFile(values: Record<string, string> | undefined, name: string): SentFile | null {
  const stored = values?.[name]
  if (!stored) return null
  const size = Number(values[`${name}-fileSize`])
  return {
    name: stored,
    originalFileName: values[`${name}-fileName`] || stored,
    size: Number.isFinite(size) ? size : 0,
    url: fileAddress(encodeURIComponent(stored)),
  }
}
