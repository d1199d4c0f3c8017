import { Link } from '@remix-run/react'
import type { Brand } from '~/config/brands.ts'

/** The logo: a burette in the shape of a T, whose top is a meniscus, and the drop that reaches the endpoint. */
export function Mark({ size = 30 }: { size?: number }) {
  return (
    <svg viewBox="0 0 24 24" width={size} height={size} aria-hidden="true" focusable="false">
      <path className="mark-t" d="M2.6 2.6Q12 6.4 21.4 2.6V7.3H14.5L13.4 14.2H10.6L9.5 7.3H2.6Z" />
      <path
        className="mark-drop"
        d="M12 15.4C13.5 17.2 15.1 18.7 15.1 20.3A3.1 3.1 0 0 1 8.9 20.3C8.9 18.7 10.5 17.2 12 15.4Z"
      />
    </svg>
  )
}

export function BrandLink({ brand }: { brand: Brand }) {
  const word = brand.suffix ? brand.name.slice(0, -brand.suffix.length).trim() : brand.name
  return (
    <Link className="brand" to="/home/">
      <Mark />
      <span>{word}</span>
      {brand.suffix && <span className="suffix">{brand.suffix}</span>}
      <span className="sr-only">, home</span>
    </Link>
  )
}
