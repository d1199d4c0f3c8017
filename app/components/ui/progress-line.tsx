/**
 * A line at the top of the window while something loads. It appears after 300 ms. It is in a status because it is
 * outside the page's landmarks.
 */
export function ProgressLine() {
  return (
    <div role="status">
      <div className="progress-line" role="progressbar" aria-label="Loading" />
    </div>
  )
}
