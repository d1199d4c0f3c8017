import { Fragment } from 'react'

/** An address that breaks before its signs and not inside its words: "ada / @titrate / .example". */
export function EmailAddress({ children }: { children: string }) {
  return children.split(/(?=[@.])/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
