import { RemixBrowser } from '@remix-run/react'
import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { startErrorReports } from './components/failures/error-reports.ts'
import { watchChunks } from './components/failures/lost-chunks.ts'
import { watchServerCalls } from './components/failures/server-calls.ts'
import { documentContext } from './components/layout/shell.ts'

const { dataset } = document.documentElement
const fromDocument = {
  nonce: undefined,
  requestId: dataset.request ?? null,
  palette: dataset.brand ?? '',
  product: dataset.product ?? '',
  build: dataset.build ?? '',
}

startErrorReports(fromDocument.build)
watchServerCalls()
watchChunks()

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
