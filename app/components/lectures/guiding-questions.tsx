import { Icon } from '../ui/icon.tsx'

/** `html` was rendered and sanitized by lib/markdown.ts. */
export function GuidingQuestions({ html }: { html: string }) {
  if (html === '') return null
  return (
    <details className="fold" open>
      <summary>
        Guiding Questions
        <Icon name="chevron" className="i--turn" />
      </summary>
      {/* lib/markdown.ts made this HTML, and sanitizes it as its last step. */}
      <div className="in prose" dangerouslySetInnerHTML={{ __html: html }} />
    </details>
  )
}
