/** The mail that reminds somebody of what is due. */
import { brands } from '~/config/brands.ts'
import { dueInWords, isLate } from '~/lib/due.ts'
import type { Site } from '../context.ts'
import { composeLetter } from '../mail/letter.ts'
import type { Mail } from '../mail/mail.server.ts'

export type Reminded = { kind: 'module' | 'course'; name: string; dueOn: string; note: string | null }

type Person = { firstName: string; lastName: string; email: string }

const mostNamed = 20

export function dueLetter(
  site: Site,
  person: Person,
  { items, today, unsubscribeUrl }: { items: Reminded[]; today: string; unsubscribeUrl: string },
): Mail {
  const { name, assignedLabel } = brands[site.key]
  const [first] = items
  const isOne = items.length === 1
  const lines = items.slice(0, mostNamed).map((item) => lineOf(item, today))
  const more = items.length - lines.length
  return composeLetter({
    site,
    to: { firstName: person.firstName, lastName: person.lastName, address: person.email },
    subject: isOne && first ? `${dueInWords(first.dueOn, today)}: ${first.name}` : `${items.length} things are due`,
    before: [
      `This is a reminder of what was ${assignedLabel.toLowerCase()} to you at ${name}:`,
      ...lines,
      ...(more > 0 ? [`And ${more} more.`] : []),
      ...(items.some(({ dueOn }) => isLate(dueOn, today)) ? ['You can still complete what is late.'] : []),
    ],
    action: { label: 'Open My Learning', url: `${site.baseUrl}/my-learning/assigned/` },
    after: [`You can choose which emails you get in your account: ${site.baseUrl}/my-learning/my-account/`],
    unsubscribe: { label: 'Stop reminders', url: unsubscribeUrl },
  })
}

function lineOf({ kind, name, dueOn, note }: Reminded, today: string): string {
  const line = `${kind === 'module' ? 'Module' : 'Course'}: ${name}. ${dueInWords(dueOn, today)}.`
  return note === null ? line : `${line} ${note.replace(/\s*\n\s*/g, ' ')}`
}
