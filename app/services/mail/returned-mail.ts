/**
 * Reads what mail servers send back: reports of delivery (RFC 3464) and of complaints (RFC 5965). Whoever knows the
 * return address can write such a mail, so everything in it is a claim that record-returned.server.ts checks.
 */
import PostalMime from 'postal-mime'
import { Invalid } from '../errors.ts'
import { isFaultOfAddress } from './faults.ts'

export type ReturnedMail = {
  kind: 'bounce' | 'complaint' | 'delayed'
  /** True if the next mail to the address would fare no better. */
  isPermanent: boolean
  /** The addresses that the report is about; empty if it names none. */
  recipients: string[]
  /** The mail of ours that it is about, by its token or uid; null if the report names none. */
  mail: string | null
  words: string
}

/** The report comes first, and the mail that is returned after it may be as large as it likes. */
const mostRead = 1_000_000
const mostRecipients = 50
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/**
 * Reads a raw mail. Null if it reports nothing, such as an answer or a notice of absence. Throws Invalid if it is no
 * mail. `returnAddress` is the setting MAIL_RETURN_ADDRESS.
 */
export async function readReturnedMail(
  source: Buffer,
  { returnAddress }: { returnAddress: string | undefined },
): Promise<ReturnedMail | null> {
  const { headers, parts } = await partsOf(source.subarray(0, mostRead))
  const find = (type: RegExp) => parts.find(({ mimeType }) => type.test(mimeType))?.content ?? ''
  const report =
    readDelivery(fieldsOf(find(/^message\/(?:global-)?delivery-status$/))) ??
    readComplaint(fieldsOf(find(/^message\/feedback-report$/)))
  if (!report) return null
  const { senders, ...returned } = report
  const returnAddresses = [
    ...headers.filter(({ key }) => /^(?:x-original-to|delivered-to|to)$/.test(key)).map(({ value }) => value),
    ...senders,
  ]
  const [message = {}] = fieldsOf(find(/^(?:text\/rfc822-headers|message\/(?:rfc822|global|global-headers))$/))
  const mail = tokenIn(returnAddresses, returnAddress) ?? uidIn(message['message-id']?.[0])
  return { ...returned, mail }
}

async function partsOf(source: Buffer) {
  const parsed = await PostalMime.parse(source, {
    forceRfc822Attachments: true,
    maxNestingDepth: 20,
    maxHeadersSize: 200_000,
  }).catch(() => null)
  if (!parsed?.headers.some(({ key }) => key === 'from')) throw new Invalid('This is not a mail.')
  return {
    headers: parsed.headers,
    parts: parsed.attachments.map(({ mimeType, content }) => ({
      mimeType,
      content: typeof content === 'string' ? content : new TextDecoder().decode(content),
    })),
  }
}

type Fields = Record<string, string[] | undefined>

/** The groups of fields in a report, which blank lines separate. */
function fieldsOf(content: string): Fields[] {
  const groups = content
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+(?=\S)/g, ' ')
    .split(/\n[ \t]*\n/, mostRecipients + 1)
  return groups.map((group) => {
    const fields: Fields = Object.create(null)
    for (const line of group.split('\n')) {
      const colon = line.indexOf(':')
      if (colon <= 0) continue
      const name = line.slice(0, colon).trim().toLowerCase()
      fields[name] = [...(fields[name] ?? []), line.slice(colon + 1).trim()]
    }
    return fields
  })
}

type Report = Omit<ReturnedMail, 'mail'> & { senders: string[] }

function readDelivery(groups: Fields[]): Report | null {
  const of = (action: string) => groups.filter((group) => group.action?.[0]?.toLowerCase() === action)
  const failed = of('failed')
  const about = failed.length > 0 ? failed : of('delayed')
  if (about.length === 0) return null
  return {
    kind: failed.length > 0 ? 'bounce' : 'delayed',
    isPermanent: failed.length > 0 && about.every(isGone),
    recipients: about.flatMap((group) => [
      ...(group['original-recipient'] ?? []).flatMap((value) => [addressIn(value), addressIn(withoutXtext(value))]),
      ...(group['final-recipient'] ?? []).map(addressIn),
    ]),
    words: wordsOf(about[0] ?? {}),
    senders: [],
  }
}

/** `Diagnostic-Code: smtp; 550 5.1.1 No such user` says more than `Status: 5.1.1`. */
function wordsOf(group: Fields): string {
  const status = group.status?.[0] ?? ''
  const diagnostic = group['diagnostic-code']?.[0]?.replace(/^\s*[\w-]+\s*;\s*/, '') ?? ''
  return diagnostic.includes(status) ? diagnostic : `${status} ${diagnostic}`.trim()
}

/** Some servers write "550 4.4.7 Expired" when they give up on a mail that might still have arrived. */
function isGone(group: Fields): boolean {
  return !group.status?.[0]?.startsWith('4') && isFaultOfAddress(wordsOf(group))
}

/** Other reports say that a signature failed, or that a mail is not spam. */
const complaints = ['abuse', 'fraud', 'virus', 'other', 'opt-out']

function readComplaint([fields = {}]: Fields[]): Report | null {
  const type = fields['feedback-type']?.[0]?.toLowerCase() ?? ''
  if (!complaints.includes(type)) return null
  return {
    kind: 'complaint',
    isPermanent: false,
    recipients: (fields['original-rcpt-to'] ?? []).slice(0, mostRecipients).map(addressIn),
    words: [`Feedback-Type: ${type}`, ...(fields['user-agent'] ?? []).slice(0, 1)].join(', '),
    senders: fields['original-mail-from'] ?? [],
  }
}

/** `rfc822; <ada@example.org>` */
function addressIn(value: string): string {
  return value
    .replace(/^\s*[\w-]+\s*;/, '')
    .trim()
    .replace(/^<(.*)>$/, '$1')
}

/** RFC 3461 4: `+2B` is a plus sign. */
function withoutXtext(value: string): string {
  return value.replace(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function tokenIn(addresses: string[], returnAddress: string | undefined): string | null {
  if (!returnAddress) return null
  const [before = '', after = ''] = returnAddress.split('{token}').map((part) => part.replace(/[.+]/g, '\\$&'))
  const pattern = new RegExp(`(?:^|[\\s<,;])${before}(${uuid})${after}(?:$|[\\s>,;])`, 'i')
  for (const address of addresses) {
    const token = pattern.exec(address)?.[1]
    if (token) return token.toLowerCase()
  }
  return null
}

/** Our Message-ID is `<uid@domain>`. */
function uidIn(messageId: string | undefined): string | null {
  return new RegExp(`^<?(${uuid})@`, 'i').exec(messageId ?? '')?.[1]?.toLowerCase() ?? null
}
