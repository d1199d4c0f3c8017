import { useShell } from '~/components/layout/shell.ts'
import { PrivacyPolicy } from '~/components/public/privacy-policy.tsx'
import { pageTitle } from '~/http/meta.ts'

export const meta = pageTitle('Privacy Policy', 'Which data are kept about learners, why, and for how long.')

export default function PrivacyPolicyPage() {
  return <PrivacyPolicy brand={useShell().brand} />
}
