import { useShell } from '~/components/layout/shell.ts'
import { PrivacyPolicy } from '~/components/public/privacy-policy.tsx'
import { pageTitle } from '~/http/meta.ts'

export const meta = pageTitle('Privacy Policy')

export default function PrivacyPolicyPage() {
  return <PrivacyPolicy brand={useShell().brand} />
}
