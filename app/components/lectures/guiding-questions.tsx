import { Icon } from '../ui/icon.tsx'

/** `html` is what lib/markdown.ts rendered, sanitised. */
export function GuidingQuestions({ html }: { html: string }) {
  if (html === '') return null
  return (
    <details className="fold" open>
      <summary>
        Guiding Questions
        <Icon name="chevron" className="i--turn" />
      </summary>
      {/* Made by lib/markdown.ts, which sanitises last. */}
      <div className="in prose" dangerouslySetInnerHTML={{ __html: html }} />
    </details>
  )
}
