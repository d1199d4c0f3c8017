/** Reads in the DNS whether other servers can tell that the mails of a domain are ours: SPF, DKIM and DMARC. */
import { createPublicKey } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { dkimOf } from '~/config/dkim.ts'
import { env } from '~/config/env.server.ts'
import { siteKeys } from '~/config/forwarding.ts'

/** Returns the TXT records of a name; an empty list if there are none. */
export type ResolveTxt = (name: string) => Promise<string[]>

export type MailFinding = { about: 'SPF' | 'DKIM' | 'DMARC'; isGood: boolean; sentence: string }

/** Looks up the records of a domain, and compares the published keys with those that sign the mails of the sites. */
export async function checkMailDomain(
  input: { domain: string },
  resolve: ResolveTxt = resolveTxt,
): Promise<MailFinding[]> {
  const domain = input.domain.toLowerCase()
  return [await checkSpf(domain, resolve), ...(await checkKeys(domain, resolve)), await checkDmarc(domain, resolve)]
}

async function checkSpf(domain: string, resolve: ResolveTxt): Promise<MailFinding> {
  const records = (await resolve(domain)).filter((record) => /^v=spf1(?: |$)/i.test(record))
  const [record = ''] = records
  const say = (isGood: boolean, sentence: string): MailFinding => ({ about: 'SPF', isGood, sentence })
  if (records.length === 0) return say(false, `${domain} has no SPF record.`)
  if (records.length > 1) return say(false, `${domain} has ${records.length} SPF records. Only one is allowed.`)
  if (/\+?\ball$/i.test(record) && !/[-~?]all$/i.test(record)) {
    return say(false, `The SPF record of ${domain} allows every server to send: ${record}`)
  }
  return say(true, `${record}. Check that it names your mail server.`)
}

async function checkKeys(domain: string, resolve: ResolveTxt): Promise<MailFinding[]> {
  const settings = siteKeys.flatMap((site) => dkimOf(env(), site) ?? [])
  const ofDomain = settings.filter((setting) => setting.domain.toLowerCase() === domain)
  if (ofDomain.length === 0) {
    return [{ about: 'DKIM', isGood: false, sentence: `No site signs its mails for ${domain}. See DKIM_DOMAIN.` }]
  }
  return Promise.all(
    ofDomain.map(async ({ selector, keyFile }): Promise<MailFinding> => {
      const name = `${selector}._domainkey.${domain}`
      const [record] = (await resolve(name)).filter((one) => /(?:^|;)\s*p=/i.test(one))
      if (!record) return { about: 'DKIM', isGood: false, sentence: `${name} has no key.` }
      const published = /(?:^|;)\s*p=([^;]*)/i.exec(record)?.[1]?.replace(/\s/g, '')
      const own = createPublicKey(await readFile(keyFile, 'utf8')).export({ type: 'spki', format: 'der' })
      const isSame = published === own.toString('base64')
      return {
        about: 'DKIM',
        isGood: isSame,
        sentence: isSame ? `${name} has the key of ${keyFile}.` : `${name} has another key than ${keyFile}.`,
      }
    }),
  )
}

async function checkDmarc(domain: string, resolve: ResolveTxt): Promise<MailFinding> {
  const records = (await resolve(`_dmarc.${domain}`)).filter((record) => /^v=DMARC1\s*(?:;|$)/i.test(record))
  const [record] = records
  if (record && records.length === 1) return { about: 'DMARC', isGood: true, sentence: record }
  const sentence = record
    ? `_dmarc.${domain} has ${records.length} DMARC records. Only one is allowed.`
    : `_dmarc.${domain} has no DMARC record.`
  return { about: 'DMARC', isGood: false, sentence }
}

async function resolveTxt(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 5000, tries: 2 })
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
  } catch (error) {
    if (['ENOTFOUND', 'ENODATA'].includes((error as { code?: string }).code ?? '')) return []
    throw error
  }
}
