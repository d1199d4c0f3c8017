/** Slugs for addresses: made once from a name, and kept when the name changes. */
import { searchKey } from './text.ts'

/** Scientific names contain Greek letters that matter: IL-1α is not IL-1β. */
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

/**
 * Contains a to z, digits and single hyphens, at most 80 characters. Returns `fallback` if the name has none of these
 * characters.
 */
export function slugOf(name: string, fallback: string): string {
  const latin = searchKey(name).replace(/[α-ω]/g, (letter) => greek[letter] ?? '')
  const slug = latin.replace(/[^a-z0-9]+/g, '-').slice(0, 80)
  return slug.replace(/^-|-$/g, '') || fallback
}

/** The slug itself, or the slug with the first free number from 2 on. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug
  let number = 2
  while (taken.has(`${slug}-${number}`)) number++
  return `${slug}-${number}`
}
