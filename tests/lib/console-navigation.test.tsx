/** Sections of the console that are shown and cannot be opened. */
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { findSection } from '~/components/console/sections.ts'
import { SectionLink } from '~/components/layout/console-frame.tsx'

const outbox = findSection('outbox')

test('C-012 A-013 a disabled item is shown, says why, and has no address that a click could open', () => {
  if (!outbox) throw new Error('There is no outbox')
  const html = renderToStaticMarkup(
    <SectionLink section={outbox} isCurrent={false} reason="A mail server is set up." />,
  )
  expect(html).toContain('aria-disabled="true" tabindex="0" title="A mail server is set up."')
  expect(html).toContain('Outbox')
  expect(html).not.toMatch(/href|<a |<button/)
})

test('C-012 A-013 the outbox is disabled once a mail server is set up', () => {
  expect(outbox?.whyDisabled?.({ hasOutbox: false })).toContain('A mail server is set up')
  expect(outbox?.whyDisabled?.({ hasOutbox: true })).toBeNull()
})
