import type { MetaFunction } from '@remix-run/node'
import type { Brand } from '~/config/brands.ts'

/** Every title is the product's name and a section's label. */
export function titleOf(brand: Pick<Brand, 'name'>, label: string): string {
  return `${brand.name} : ${label}`
}

/** The same for pages that search engines may not list: those of mailed links. */
export function unlistedTitle(label: string): MetaFunction {
  return ({ matches }) => [...titleFrom(matches, label), { name: 'robots', content: 'noindex' }]
}

type Matches = readonly ({ id: string; data: unknown } | undefined)[]

/**
 * `export const meta = pageTitle('Home')`; the product's name comes from root's loader. Pages that search engines show
 * pass a sentence `about` their content; the description of the product follows it.
 */
export function pageTitle(label: string, about?: string): MetaFunction {
  return ({ matches }) => titleFrom(matches, label, about)
}

type Meta = { title: string } | { name: string; content: string }

export function titleFrom(matches: Matches, label: string, about?: string): Meta[] {
  const root = matches.find((match) => match?.id === 'root')?.data as { brand: Brand } | undefined
  if (!root) return []
  const content = [about, root.brand.tagline].filter(Boolean).join(' ')
  return [{ title: titleOf(root.brand, label) }, { name: 'description', content }]
}
