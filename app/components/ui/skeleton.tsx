/** A placeholder for content that loads. It appears only if loading takes a while. */
export function Skeleton({ rows, className }: { rows: number; className?: string }) {
  return (
    <div className={className ? `skeleton ${className}` : 'skeleton'} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => `row-${index}`).map((row) => (
        <div key={row} />
      ))}
    </div>
  )
}
