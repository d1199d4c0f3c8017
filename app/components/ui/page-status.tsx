import { useEffect, useRef, useState } from 'react'

/** Announces the page of a list when it changes. After a document load, screen readers read the page anyway. */
export function PageStatus({ page, pages }: { page: number; pages: number }) {
  const first = useRef(page)
  const [isChanged, setChanged] = useState(false)
  useEffect(() => {
    if (page !== first.current) setChanged(true)
  }, [page])
  return (
    <span role="status" className="sr-only">
      {isChanged && `Page ${page} of ${pages}`}
    </span>
  )
}
