import { CheckboxField } from '../../ui/fields.tsx'

export function RemindField() {
  return (
    <CheckboxField
      name="remind"
      label="Remind before the link expires"
      hint="Whoever has not opened the account a week before gets the invitation once more, with a new link."
    />
  )
}
