import type { ReactNode } from 'react'
import type { TextPart } from '~/lib/differences.ts'
import type { FieldChange, ListItem } from './view.ts'

/** Changed fields below each other. Color alone shows nothing: words are underlined or struck out, and lists say it. */
export function Changes({ changes }: { changes: FieldChange[] }) {
  return (
    <dl className="formstack">
      {changes.map((change, index) => (
        <div key={index}>
          <dt className="muted small">{change.label}</dt>
          <dd>
            <ChangeOf change={change} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function ChangeOf({ change }: { change: FieldChange }): ReactNode {
  if (change.kind === 'words') return <Words parts={change.parts} />
  if (change.kind === 'list') return <Items items={change.items} />
  return (
    <span className="grid gap-x-4 gap-y-1 sm:grid-cols-2">
      <Side word="Before" text={change.before} />
      <Side word="After" text={change.after} />
    </span>
  )
}

function Side({ word, text }: { word: string; text: string }) {
  return (
    <span className="whitespace-pre-wrap rounded-inner bg-sunken px-2 py-1">
      <span className="muted small">{word}: </span>
      {text === '' ? <em>empty</em> : text}
    </span>
  )
}

function Words({ parts }: { parts: TextPart[] }) {
  return (
    <p className="whitespace-pre-wrap">
      {parts.map(({ text, is }, index) => {
        if (is === 'same') return <span key={index}>{text}</span>
        const [Mark, tone, word] =
          is === 'added'
            ? (['ins', 'bg-success-soft', 'added'] as const)
            : (['del', 'bg-alert-soft', 'removed'] as const)
        return (
          <Mark key={index} className={tone}>
            <span className="sr-only">[{word}: </span>
            {text}
            <span className="sr-only">]</span>
          </Mark>
        )
      })}
    </p>
  )
}

const words: Record<ListItem['is'], string> = {
  added: 'Added',
  removed: 'Removed',
  moved: 'Moved',
  renamed: 'Renamed',
}

function Items({ items }: { items: ListItem[] }) {
  return (
    <ul>
      {items.map(({ text, is }, index) => (
        <li key={index}>
          <span className="muted">{words[is]}</span> {text}
        </li>
      ))}
    </ul>
  )
}
