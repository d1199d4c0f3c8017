import { DialogLink } from '../route-dialog.tsx'

const modes = [
  { mode: 'single', label: 'One person', to: '/dashboard/users/invite/' },
  { mode: 'multiple', label: 'Many, from a CSV file', to: '/dashboard/users/invite/many/' },
] as const

/** Changes between one person and a file of people (C-093). Each has an address, so it works without JavaScript. */
export function ModeToggle({ mode }: { mode: (typeof modes)[number]['mode'] }) {
  return (
    <nav className="tabs mb-4" aria-label="How many people">
      {modes.map((one) => (
        <DialogLink key={one.mode} to={one.to} replace aria-current={one.mode === mode ? 'page' : undefined}>
          {one.label}
        </DialogLink>
      ))}
    </nav>
  )
}
