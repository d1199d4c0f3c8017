import { Icon } from '../../ui/icon.tsx'

/** Says beside a module or course that people have no plan that includes it (C-097). */
export function AccessWarning({ text }: { text: string }) {
  return (
    <span className="inline-flex items-center gap-1 muted small">
      <Icon name="alert" />
      {text}
    </span>
  )
}
