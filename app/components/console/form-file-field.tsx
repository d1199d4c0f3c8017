import type { UploadKind } from '~/forms/uploads.ts'
import { useShell } from '../layout/shell.ts'
import { useFormField } from '../ui/fields.tsx'
import { useRefusal } from './console-form.tsx'
import { FileField } from './file-field.tsx'
import { keptFile } from './kept-file.tsx'
import type { SentFile } from './send-file.ts'

type Props = {
  name: string
  kind: UploadKind
  label: string
  hint?: string
  isOptional?: boolean
  accept?: readonly string[]
  maxBytes?: number
  formId: string
  value: SentFile | null
  onBusyChange: (isBusy: boolean) => void
  onFileChange?: (file: SentFile | null) => void
}

/** A file of a form: after a refusal, what was uploaded comes back by its name. */
export function FormFileField({ name, value, formId, onBusyChange, onFileChange, ...field }: Props) {
  const { csrf } = useShell()
  const refusal = useRefusal(formId)
  const { error, clearError } = useFormField(name)
  return (
    <FileField
      {...field}
      name={name}
      value={refusal ? keptFile(refusal.values, name) : value}
      error={error}
      csrf={csrf ?? ''}
      // That a file is missing is said when the form is sent, not while one is being changed for another.
      onChange={(file) => {
        clearError()
        onFileChange?.(file)
      }}
      onBusyChange={(isBusy) => {
        if (isBusy) clearError()
        onBusyChange(isBusy)
      }}
    />
  )
}
