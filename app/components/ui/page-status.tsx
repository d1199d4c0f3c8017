import { useEffect, useRef, useState } from 'react'

/** Says where one is in a list once that changes; a page that comes as a whole says it by itself. */
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
