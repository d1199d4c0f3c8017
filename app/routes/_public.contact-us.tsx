import { useShell } from '~/components/layout/shell.ts'
import { ContactUs } from '~/components/public/contact-us.tsx'
import { pageTitle } from '~/http/meta.ts'

export const meta = pageTitle('Contact Us', 'How to reach the people who help learners and institutions.')

export default function ContactUsPage() {
  return <ContactUs brand={useShell().brand} />
}
