/** The layout of what comes; shown only where it takes a while. */
export function Skeleton({ rows, className }: { rows: number; className?: string }) {
  return (
    <div className={className ? `skeleton ${className}` : 'skeleton'} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => `row-${index}`).map((row) => (
        <div key={row} />
      ))}
    </div>
  )
}
