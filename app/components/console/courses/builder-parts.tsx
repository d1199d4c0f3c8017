/** The name and the description of a section or chapter in the builder. */
import { useState } from 'react'
import { useFormContext } from 'remix-validated-form'
import { type PartField, partField } from '~/forms/course-outline.ts'
import { courseLimits } from '~/forms/courses.ts'
import { ownsField } from '~/forms/steps.ts'
import { FieldError } from '../../ui/fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useFieldErrors } from '../console-form.tsx'

/**
 * The errors of the outline by place, such as `sections.0.name`. The library of the form writes `sections[0].name` for
 * what it has found in the browser.
 */
export function useOutlineErrors() {
  const errors = useFieldErrors()
  const { clearError } = useFormContext()
  const namesOf = (place: string) => [place, place.replace(/\.(\d+)/g, '[$1]')]
  return {
    errorAt: (place: string) => namesOf(place).flatMap((name) => errors[name] ?? [])[0],
    hasErrors: (place: string) => Object.keys(errors).some((name) => ownsField(namesOf(place), name)),
    /** Clears the errors of a place and of everything inside it. */
    clearErrors: (place = 'sections') =>
      clearError(...Object.keys(errors).filter((name) => ownsField(namesOf(place), name))),
  }
}

type PartProps = {
  part: { uid: string; name: string; description: string }
  /** Where the part is in the outline, as errors name it. */
  place: string
  onChange: (uid: string, field: PartField, text: string) => void
}

/**
 * A text of a part. It joins the outline when its field is left, so that a key costs nothing in a long course. Its error
 * disappears when it changes.
 */
function usePartText({ part, place, onChange }: PartProps, field: PartField) {
  const { errorAt, clearErrors } = useOutlineErrors()
  const [text, setText] = useState(part[field])
  const error = errorAt(`${place}.${field}`)
  return {
    error,
    props: {
      value: text,
      onChange: (event: { currentTarget: { value: string } }) => {
        if (error) clearErrors(`${place}.${field}`)
        setText(event.currentTarget.value)
      },
      onBlur: () => {
        if (text !== part[field]) onChange(part.uid, field, text)
      },
    },
  }
}

export function PartName({ noun, ...props }: PartProps & { noun: 'Section' | 'Chapter' }) {
  const { part } = props
  const { error, props: text } = usePartText(props, 'name')
  const id = partField(part.uid, 'name')
  return (
    <div className="field">
      <label htmlFor={id}>{noun} name</label>
      <input
        id={id}
        className="input"
        name={id}
        {...text}
        maxLength={courseLimits.name}
        autoComplete="off"
        aria-required
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
      />
      <FieldError id={id} error={error} />
    </div>
  )
}

/** The description, folded away while it is empty. */
export function PartDescription(props: PartProps) {
  const { part } = props
  const { error, props: text } = usePartText(props, 'description')
  const id = partField(part.uid, 'description')
  const [isOpen] = useState(part.description !== '' || error !== undefined)
  return (
    <details open={isOpen}>
      <summary>
        <Icon name="chevron" />
        Description (optional)
      </summary>
      <textarea
        id={id}
        className="input"
        name={id}
        aria-label={`Description of ${part.name || 'the new part'}`}
        {...text}
        rows={2}
        maxLength={courseLimits.description}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
      />
      <FieldError id={id} error={error} />
    </details>
  )
}
