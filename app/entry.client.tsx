import { RemixBrowser } from '@remix-run/react'
import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { documentContext } from './components/layout/shell.ts'
import { reloadOnceAddress } from './lib/reload-once.ts'

// A part of an older build may be gone: load the page again, once.
window.addEventListener('vite:preloadError', (event) => {
  const address = reloadOnceAddress(window.location.href)
  if (!address) return
  event.preventDefault()
  window.location.replace(address)
})

const { dataset } = document.documentElement
const fromDocument = {
  nonce: undefined,
  requestId: dataset.request ?? null,
  palette: dataset.brand ?? '',
  product: dataset.product ?? '',
}

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <documentContext.Provider value={fromDocument}>
        <RemixBrowser />
      </documentContext.Provider>
    </StrictMode>,
  )
})
