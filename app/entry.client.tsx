import { RemixBrowser } from '@remix-run/react'
import { StrictMode } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { rememberEarlyTyping } from '~/browser/early-typing.ts'
import { startErrorReports } from '~/browser/error-reports.ts'
import { watchChunks } from '~/browser/lost-chunks.ts'
import { watchServerCalls } from '~/browser/server-calls.ts'
import { whenDataIsDecoded } from './browser/remix-internals.ts'
import { documentContext } from './components/layout/shell.ts'
import type { Brand } from './config/brands.ts'

const { dataset } = document.documentElement
const fromDocument = {
  nonce: undefined,
  requestId: dataset.request ?? null,
  brand: dataset.wholeBrand === undefined ? undefined : (JSON.parse(dataset.wholeBrand) as Brand),
  palette: dataset.brand ?? '',
  product: dataset.product ?? '',
  build: dataset.build ?? '',
  eventPath: dataset.eventPath,
}

startErrorReports(fromDocument.build)
watchServerCalls()
watchChunks()

whenDataIsDecoded().then(() => {
  rememberEarlyTyping()
  // Not inside startTransition: React abandons a transition when somebody clicks in the meantime, and then cannot complete the
  // document ("Root did not complete").
  hydrateRoot(
    document,
    <StrictMode>
      <documentContext.Provider value={fromDocument}>
        <RemixBrowser />
      </documentContext.Provider>
    </StrictMode>,
  )
})
