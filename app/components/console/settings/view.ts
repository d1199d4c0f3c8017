import type { Option } from '../../ui/choice-fields.tsx'

export type SiteSettingsView = {
  revision: number
  values: Record<string, string | string[]>
  institutions: Option[]
  timeZones: string[]
  brandName: string
}
