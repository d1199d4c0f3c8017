import { useId } from 'react'

type Props = {
  name: string
  label: string
  /** The label of the choice that filters nothing; without it one of the options is always chosen. */
  all?: string
  /** Labels by value. */
  options: Record<string, string>
  chosen: string
}

/** A filter in a form that is sent with its button. */
export function FilterSelect({ name, label, all, options, chosen }: Props) {
  const id = useId()
  return (
    <div className="field md:max-w-72">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input text-ellipsis" name={name} defaultValue={chosen}>
        {all !== undefined && <option value="">{all}</option>}
        {Object.entries(options).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
