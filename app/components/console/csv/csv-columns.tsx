import { type CsvColumn, type CsvHeadings, columnField, headingKey } from '~/lib/csv-import.ts'
import { SelectField } from '../../ui/choice-fields.tsx'
import { fieldBinding } from '../../ui/fields.tsx'

type Props = { columns: CsvColumn[]; found: CsvHeadings }

/**
 * In the form of a CSV import: chooses by hand which heading of the file is which column. It appears if a file was read
 * with headings that do not name its columns, and stays, so that a wrong choice can be corrected. The action reads the
 * choice with `importOf` of http/csv.server.ts.
 */
export function CsvColumns({ columns, found: { headings, headingOf } }: Props) {
  const options = headings.filter((heading) => heading !== '').map((heading) => ({ value: heading, label: heading }))
  const isNamed = ({ key, names, isRequired }: CsvColumn) => {
    const heading = headingOf[key]
    return heading === undefined ? !isRequired : names.some((name) => headingKey(name) === headingKey(heading))
  }
  if (columns.every(isNamed) && options.every(({ value }) => Object.values(headingOf).includes(value))) return null
  return (
    // Another file has other headings, and then the fields begin anew.
    <fieldset key={headings.join('\n')} className="formstack">
      <legend className="legend">Columns of the file</legend>
      {/* Plain fields: the form's schema knows nothing of them, and they begin with what the server found. */}
      <fieldBinding.Provider value={null}>
        {columns.map(({ key, names: [name = key], isRequired = false }) => (
          <SelectField
            key={key}
            name={columnField(key)}
            label={name}
            isOptional={!isRequired}
            placeholder="Choose a heading of the file"
            options={options}
            defaultValue={headingOf[key] ?? ''}
          />
        ))}
      </fieldBinding.Provider>
    </fieldset>
  )
}
