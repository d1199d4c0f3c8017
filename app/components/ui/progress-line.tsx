/** While something is fetched: nothing for 300 ms, then a line along the window's upper edge. A status, since it stands outside of the page's landmarks. */
export function ProgressLine() {
  return (
    <div role="status">
      <div className="progress-line" role="progressbar" aria-label="Loading" />
    </div>
  )
}
