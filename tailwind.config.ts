import type { Config } from 'tailwindcss'

const roles = [
  'ink',
  'muted',
  'paper',
  'surface',
  'sunken',
  'line',
  'line-strong',
  'accent',
  'accent-strong',
  'accent-soft',
  'on-accent',
  'indicator',
  'alert',
  'alert-soft',
  'success',
  'success-soft',
  'warning',
  'warning-soft',
  'deep',
  'deep-2',
  'deep-line',
  'on-deep',
  'on-deep-muted',
  'phase',
  'phase-soft',
  'phase-deep',
]

/** Utilities know the tokens by their roles and nothing else: a hue cannot be named in a component. */
export default {
  theme: {
    screens: { sm: '40em', md: '48em', lg: '56.25em', xl: '64em' },
    colors: {
      transparent: 'transparent',
      current: 'currentColor',
      ...Object.fromEntries(roles.map((role) => [role, `var(--${role})`])),
    },
    fontFamily: { voice: 'var(--font-voice)', work: 'var(--font-work)' },
    borderRadius: { none: '0', inner: '6px', DEFAULT: 'var(--radius)', full: 'var(--pill)' },
    boxShadow: { menu: 'var(--lift-1)', dialog: 'var(--lift-2)' },
    extend: { maxWidth: { measure: 'var(--measure)', page: 'var(--page)' } },
  },
} satisfies Config
