/** Words of an address: made once from a name, and kept when the name changes. */
import { searchKey } from './text.ts'

/** Names of this trade hold Greek letters, which tell things apart: IL-1α is not IL-1β. */
const greek: Record<string, string> = {
  α: 'alpha',
  β: 'beta',
  γ: 'gamma',
  δ: 'delta',
  ε: 'epsilon',
  ζ: 'zeta',
  η: 'eta',
  θ: 'theta',
  κ: 'kappa',
  λ: 'lambda',
  μ: 'mu',
  ν: 'nu',
  π: 'pi',
  ρ: 'rho',
  σ: 'sigma',
  τ: 'tau',
  φ: 'phi',
  χ: 'chi',
  ψ: 'psi',
  ω: 'omega',
}

/** a to z, digits and single hyphens, at most 80 characters; `fallback` for a name without any of them. */
export function slugOf(name: string, fallback: string): string {
  const latin = searchKey(name).replace(/[α-ω]/g, (letter) => greek[letter] ?? '')
  const slug = latin.replace(/[^a-z0-9]+/g, '-').slice(0, 80)
  return slug.replace(/^-|-$/g, '') || fallback
}

/** The slug itself, or with the first number from 2 on that nobody has. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug
  let number = 2
  while (taken.has(`${slug}-${number}`)) number++
  return `${slug}-${number}`
}
