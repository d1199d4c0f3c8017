import { useState } from 'react'
import { caseKey } from '~/lib/text.ts'
import { TextField } from '../../ui/fields.tsx'

/**
 * Chooses an institution by its name. A name that no institution has, whatever its case, creates one, and the hint says
 * so before it is saved (L-202).
 */
export function InstitutionField({ universities }: { universities: string[] }) {
  const [typed, setTyped] = useState('')
  const name = typed.trim()
  const isNew = name !== '' && !universities.some((known) => caseKey(known) === caseKey(name))
  return (
    // The field keeps its value itself, so that it also works without JavaScript.
    <div onInput={({ target }) => setTyped((target as HTMLInputElement).value)}>
      <TextField
        name="university"
        label="Institution"
        maxLength={200}
        suggestions={universities}
        hint={isNew ? `Create "${name}"` : 'Choose one, or type a new one: it is added.'}
      />
    </div>
  )
}
