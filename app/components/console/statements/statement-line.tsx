import type { ReactNode } from 'react'
import { Icon } from '../../ui/icon.tsx'

type Props = {
  at: string
  words: { verb: string; object: string; details: string[]; sentence: string }
  json: string
  isVoided?: boolean
  /** What belongs beside the record, such as links. */
  children?: ReactNode
}

/** An entry of a list of statements: a sentence, which opens to its parts and the stored record. */
export function StatementLine({ at, words, json, isVoided = false, children }: Props) {
  return (
    <li className={isVoided ? 'is-voided' : undefined}>
      <details>
        <summary>
          <Icon name="chevron" className="i--turn" />
          <span>
            <span className="muted num">{at}</span> <span className="sentence">{words.sentence}</span>
            {isVoided && <strong> Voided</strong>}
          </span>
        </summary>
        <dl className="facts">
          <dt>Verb</dt>
          <dd>{words.verb}</dd>
          <dt>Object</dt>
          <dd>{words.object}</dd>
          <dt>Result</dt>
          <dd>{words.details.length === 0 ? '–' : words.details.join(', ')}</dd>
        </dl>
        {children}
        <pre>{json}</pre>
      </details>
    </li>
  )
}
