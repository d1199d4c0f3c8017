import type { ReactNode } from 'react'

/** Icons on a grid of 24, with round strokes of 1.75. Add only icons that several learner pages show: every page loads them. */
const shapes = {
  alert: <path d="M12 4 2.8 19.5h18.4zM12 10v4.5M12 17v.2" />,
  arrow: <path d="M4 12h15M13 6l6 6-6 6" />,
  back: <path d="M20 12H5M11 6l-6 6 6 6" />,
  book: <path d="M12 6.5C9.5 5 7 4.5 4 4.5v13.5c3 0 5.5.5 8 2 2.5-1.5 5-2 8-2V4.5c-3 0-5.5.5-8 2zM12 6.5V20" />,
  check: <path d="m5 12.5 4.5 4.5L19 7.5" />,
  clock: (
    <>
      <circle cx="12" cy="12" r="8.5" />
      <path d="M12 7v5l3.5 2" />
    </>
  ),
  chevron: <path d="m6 9.5 6 6 6-6" />,
  close: <path d="m6 6 12 12M18 6 6 18" />,
  download: <path d="M12 4v11.5M7 11l5 5 5-5M4.5 19.5h15" />,
  dash: <path d="M4 4.5h7v7H4zM13.5 4.5H20v4.5h-6.5zM13.5 12H20v7.5h-6.5zM4 14.5h7v5H4z" />,
  copy: <path d="M9 9h10.5v10.5H9zM15 9V4.5H4.5V15H9" />,
  edit: <path d="m4 20 1-4.5L16 4.5l3.5 3.5L8.5 19z" />,
  external: <path d="M10 5H5v14h14v-5M13.5 4.5h6v6M19 5l-8.5 8.5" />,
  eye: (
    <>
      <path d="M2.5 12c2.5-4.5 5.7-6.5 9.5-6.5s7 2 9.5 6.5c-2.5 4.5-5.7 6.5-9.5 6.5s-7-2-9.5-6.5z" />
      <circle cx="12" cy="12" r="2.7" />
    </>
  ),
  file: <path d="M6 3.5h8l4.5 4.5v12.5H6zM13.5 3.5v5h5" />,
  film: <path d="M3.5 5.5h17v13h-17zM10 9.2v5.6l4.8-2.8z" />,
  info: (
    <>
      <circle cx="12" cy="12" r="8.5" />
      <path d="M12 11v5.5M12 7.8v.2" />
    </>
  ),
  key: (
    <>
      <circle cx="8" cy="15.5" r="4" />
      <path d="m11 12.5 8.5-8.5M16 7.5l3 3M13.5 10l2 2" />
    </>
  ),
  left: <path d="M15 5.5 8.5 12l6.5 6.5" />,
  link: (
    <path d="M10 14.5a4 4 0 0 0 5.7.2l3-3a4 4 0 0 0-5.7-5.7l-1.2 1.2M14 9.5a4 4 0 0 0-5.7-.2l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2" />
  ),
  list: <path d="M8.5 6.5H20M8.5 12H20M8.5 17.5H20M4.5 6.5h.2M4.5 12h.2M4.5 17.5h.2" />,
  lock: <path d="M6 10.5h12v9H6zM8.5 10.5V8a3.5 3.5 0 0 1 7 0v2.5" />,
  logout: <path d="M14 4.5H5.5v15H14M10 12h10M16.5 8l4 4-4 4" />,
  menu: <path d="M4 7h16M4 12h16M4 17h16" />,
  message: <path d="M4 5.5h16v11H11l-4.5 3.5v-3.5H4z" />,
  mic: <path d="M9 4.5h6v8a3 3 0 0 1-6 0zM5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3" />,
  path: (
    <>
      <circle cx="5.5" cy="18" r="2" />
      <circle cx="18.5" cy="6" r="2" />
      <path d="M7.5 18H13a3 3 0 0 0 0-6h-2a3 3 0 0 1 0-6h5.5" />
    </>
  ),
  person: (
    <>
      <circle cx="12" cy="8.5" r="3.5" />
      <path d="M5 20c.7-4.2 3.2-6.3 7-6.3s6.3 2.1 7 6.3" />
    </>
  ),
  play: <path d="M8 5.2v13.6L19 12z" fill="currentColor" />,
  question: (
    <>
      <circle cx="12" cy="12" r="8.5" />
      <path d="M9.5 9.8a2.5 2.5 0 1 1 3.7 2.2c-.8.5-1.2 1-1.2 2M12 16.6v.2" />
    </>
  ),
  report: <path d="M4.5 19.5v-15M4.5 19.5h15.5M8.5 16v-4M12.5 16V7M16.5 16v-6" />,
  right: <path d="m9 5.5 6.5 6.5L9 18.5" />,
  save: <path d="M7 4h10v16l-5-4-5 4z" />,
  saved: <path d="M7 4h10v16l-5-4-5 4z" fill="currentColor" />,
  search: (
    <>
      <circle cx="10.5" cy="10.5" r="6" />
      <path d="m15 15 5 5" />
    </>
  ),
  stack: <path d="m12 4 8.5 4.5L12 13 3.5 8.5zM3.5 12.5 12 17l8.5-4.5M3.5 16.5 12 21l8.5-4.5" />,
  trophy: (
    <>
      <path d="M4 18c8 0 8-11 16-11" />
      <circle cx="13" cy="12.6" r="2.5" fill="currentColor" />
    </>
  ),
  linkedin: <path d="M5 10v9M5 6.2v.1M10 19v-9M10 14c0-2.5 1.5-4 4-4s4 1.5 4 4v5" strokeWidth="2.2" />,
  youtube: (
    <>
      <rect x="3" y="6" width="18" height="12" rx="3.5" />
      <path d="m10.5 9.5 4 2.5-4 2.5z" fill="currentColor" />
    </>
  ),
  bluesky: (
    <path d="M12 12C10.5 8.5 7.5 5.5 5 5c-2-.3-1.5 6 .5 7.5 1 .8 2.5.8 3.5.5-3 .5-4 2.5-2 4.5 2.5 2 4-.5 5-3 1 2.5 2.5 5 5 3 2-2 1-4-2-4.5 1 .3 2.5.3 3.5-.5C20.5 11 21 4.7 19 5c-2.5.5-5.5 3.5-7 7z" />
  ),
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof shapes

/** An icon as decoration. A button or link without text needs its own accessible name. */
export function Icon({ name, className }: { name: IconName; className?: string }) {
  return <IconFrame className={className}>{shapes[name]}</IconFrame>
}

/**
 * The frame for icons that are drawn where they are used, on the same grid of 24. The style sheet sets fill and stroke,
 * because a page has fifty icons, and each attribute costs time and bytes in all of them.
 */
export function IconFrame({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <svg className={className ? `i ${className}` : 'i'} viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      {children}
    </svg>
  )
}
