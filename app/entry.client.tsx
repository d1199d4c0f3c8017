import { RemixBrowser } from '@remix-run/react'
import { StrictMode } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { startErrorReports } from './components/failures/error-reports.ts'
import { watchChunks } from './components/failures/lost-chunks.ts'
import { watchServerCalls } from './components/failures/server-calls.ts'
import { documentContext } from './components/layout/shell.ts'
import { rememberEarlyTyping } from './components/ui/early-typing.ts'

const { dataset } = document.documentElement
const fromDocument = {
  nonce: undefined,
  requestId: dataset.request ?? null,
  palette: dataset.brand ?? '',
  product: dataset.product ?? '',
  build: dataset.build ?? '',
  eventPath: dataset.eventPath,
}

startErrorReports(fromDocument.build)
watchServerCalls()
watchChunks()

whenDecoded().then(() => {
  rememberEarlyTyping()
  // Not as a transition: React gives one up half-way when somebody clicks in the meantime, and then cannot complete the document ("Root did not complete").
  hydrateRoot(
    document,
    <StrictMode>
      <documentContext.Provider value={fromDocument}>
        <RemixBrowser />
      </documentContext.Provider>
    </StrictMode>,
  )
})

/**
 * RemixBrowser throws a promise until it has decoded the page's data, before anything else that it does. In a root that is being hydrated that would
 * be the same fault: a click in this moment has React finish at once what waits. So it is asked once beforehand, and waited for.
 */
async function whenDecoded(): Promise<void> {
  try {
    RemixBrowser({})
  } catch (decoding) {
    await decoding
  }
}
