import type { MetaFunction } from '@remix-run/node'
import type { Brand } from '~/config/brands.ts'

/** Every title is the product's name and a section's label (spec, learner area 2.2). */
export function titleOf(brand: Pick<Brand, 'name'>, label: string): string {
  return `${brand.name} : ${label}`
}

type Matches = readonly ({ id: string; data: unknown } | undefined)[]

/** `export const meta = pageTitle('Home')`; the product's name comes from root's loader. */
export function pageTitle(label: string): MetaFunction {
  return ({ matches }) => titleFrom(matches, label)
}

export function titleFrom(matches: Matches, label: string): { title: string }[] {
  const root = matches.find((match) => match?.id === 'root')?.data as { brand: Brand } | undefined
  return root ? [{ title: titleOf(root.brand, label) }] : []
}
