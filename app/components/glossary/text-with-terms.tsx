import { Link } from '@remix-run/react'
import { type CSSProperties, Fragment, useId } from 'react'
import type { TextPart } from '~/lib/glossary-words.ts'
import { termAddress, termClasses, termHint, termId, termLinkLabel } from '~/lib/term-markup.ts'

/** A plain text in which terms of the glossary show their definition. Not for headings and links. */
export function TextWithTerms({ parts }: { parts: TextPart[] }) {
  const of = useId().replaceAll(':', '')
  return parts.map(({ text, term }, index) => {
    if (!term) return <Fragment key={index}>{text}</Fragment>
    const id = termId(of, term.slug)
    return (
      <Fragment key={term.slug}>
        <button
          type="button"
          className={termClasses.button}
          aria-description={termHint}
          style={{ anchorName: `--${id}` } as CSSProperties}
          // React 18 has no types for this attribute.
          {...{ popovertarget: id }}
        >
          {text}
        </button>
        <span
          id={id}
          className={termClasses.panel}
          style={{ positionAnchor: `--${id}` } as CSSProperties}
          {...{ popover: 'auto' }}
        >
          <strong>{term.name}</strong> <span>{term.definition}</span>{' '}
          <Link to={termAddress(term.slug)}>{termLinkLabel}</Link>
        </span>
      </Fragment>
    )
  })
}
