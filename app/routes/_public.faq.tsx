import { useShell } from '~/components/layout/shell.ts'
import { Faq } from '~/components/public/faq.tsx'
import { pageTitle } from '~/http/meta.ts'

export const meta = pageTitle('FAQs', 'Answers to what learners ask about logging in, courses and their progress.')

export default function FaqPage() {
  return <Faq brand={useShell().brand} />
}
