import { useId, useState } from 'react'
import { type Option, Options } from '../ui/choice-fields.tsx'
import { controlProps, Field, useFormField } from '../ui/fields.tsx'
import { useHydrated } from '../ui/form.tsx'

type Props = {
  parent: { name: string; label: string; placeholder: string }
  child: { name: string; label: string; placeholder: string }
  groups: (Option & { options: Option[] })[]
  isOptional?: boolean
}

/**
 * Two selects, where the second depends on the first: a section and its chapter. The second is disabled until the first
 * has a value, and is cleared when the first changes. Without JavaScript there is one select, grouped by the first. It
 * sends only the second value, so that value must be enough for the action.
 */
export function DependentSelect(props: Props) {
  return useHydrated() ? <TwoSelects {...props} /> : <OneSelect {...props} />
}

function OneSelect({ child, groups, isOptional }: Props) {
  const id = useId()
  const { error, defaultValue, onChange, onBlur } = useFormField(child.name)
  return (
    <Field id={id} label={child.label} isOptional={isOptional} error={error}>
      <select
        {...controlProps(id, { error, isOptional })}
        className="input"
        name={child.name}
        defaultValue={defaultValue as string | undefined}
        onChange={onChange}
        onBlur={onBlur}
      >
        <option value="">{child.placeholder}</option>
        {groups.map(({ value, label, options }) => (
          <optgroup key={value} label={label}>
            <Options options={options} />
          </optgroup>
        ))}
      </select>
    </Field>
  )
}

function TwoSelects({ parent, child, groups, isOptional }: Props) {
  const [parentId, childId] = [useId(), useId()]
  const parentField = useFormField(parent.name)
  const childField = useFormField(child.name)
  const first = String(childField.defaultValue ?? '')
  const holder = groups.find(({ options }) => options.some(({ value }) => value === first))
  const [group, setGroup] = useState(String(parentField.defaultValue ?? '') || (holder?.value ?? ''))
  const [chosen, setChosen] = useState(first)
  const options = groups.find(({ value }) => value === group)?.options ?? []
  return (
    <div className="formgrid">
      <Field id={parentId} label={parent.label} isOptional={isOptional} error={parentField.error}>
        <select
          {...controlProps(parentId, { error: parentField.error, isOptional })}
          className="input"
          name={parent.name}
          value={group}
          onChange={(event) => {
            setGroup(event.currentTarget.value)
            setChosen('')
            parentField.clearError()
          }}
        >
          <option value="">{parent.placeholder}</option>
          <Options options={groups} />
        </select>
      </Field>
      <Field id={childId} label={child.label} isOptional={isOptional} error={childField.error}>
        <select
          {...controlProps(childId, { error: childField.error, isOptional })}
          className="input"
          name={child.name}
          value={chosen}
          disabled={group === ''}
          onChange={(event) => {
            setChosen(event.currentTarget.value)
            childField.clearError()
          }}
        >
          <option value="">{child.placeholder}</option>
          <Options options={options} />
        </select>
      </Field>
    </div>
  )
}
