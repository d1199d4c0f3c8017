import { useShell } from '~/components/layout/shell.ts'
import { Terms } from '~/components/public/terms.tsx'
import { pageTitle } from '~/http/meta.ts'

export const meta = pageTitle('Terms', 'The terms under which this platform may be used.')

export default function TermsPage() {
  return <Terms brand={useShell().brand} />
}
