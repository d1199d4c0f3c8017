import { Icon } from '../../ui/icon.tsx'

/** Says below a module or course that people have no plan that includes it (C-097). */
export function AccessWarning({ text }: { text: string }) {
  return (
    <span className="flex items-center gap-1 muted small">
      <Icon name="alert" />
      {text}
    </span>
  )
}
