/** A whole percent, or "N/A" where there is nothing to tell. */
export function formatPercent(value: number | null): string {
  return value === null ? 'N/A' : `${Math.round(value)}%`
}
