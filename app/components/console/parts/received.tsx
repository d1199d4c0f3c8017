import { useSearchParams } from '@remix-run/react'

/** Shows what the server received from an example form, after its redirect. */
export function Received() {
  const [params] = useSearchParams()
  const received = params.get('received')
  if (received === null) return null
  return (
    <section className="notice notice--success" aria-label="Received">
      <pre className="packagemessage">{received}</pre>
    </section>
  )
}
