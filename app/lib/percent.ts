/** A whole percentage, or "N/A" without a value. */
export function formatPercent(value: number | null): string {
  return value === null ? 'N/A' : `${Math.round(value)}%`
}
