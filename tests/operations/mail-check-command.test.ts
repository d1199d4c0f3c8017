/** `npm run mail:check`: scripts read its exit code. The records come from a fake resolver, because tests ask no server. */
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'

const domain = 'mail.example.org'
const folder = mkdtempSync(path.join(tmpdir(), 'titrate-mail-check-'))
const keyFile = path.join(folder, 'dkim.pem')
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
const published = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const records: Record<string, string[]> = {
  [domain]: ['v=spf1 mx -all'],
  [`news._domainkey.${domain}`]: [`v=DKIM1; k=rsa; p=${published}`],
  [`_dmarc.${domain}`]: ['v=DMARC1; p=reject'],
}

/** Runs the command while the DNS has these records. `null`: the DNS does not answer. */
function check(dns: Record<string, string[]> | null, ...args: string[]) {
  const resolver = `
    import { Resolver } from 'node:dns/promises'
    const records = ${JSON.stringify(dns)}
    Resolver.prototype.resolveTxt = async (name) => {
      const code = records === null ? 'ETIMEOUT' : 'ENOTFOUND'
      if (!records?.[name]) throw Object.assign(new Error(code), { code })
      return records[name].map((record) => [record])
    }`
  const settings = {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production' as const,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(resolver)}`,
      DKIM_DOMAIN: domain,
      DKIM_SELECTOR: 'news',
      DKIM_KEY_FILE: keyFile,
      LOG_LEVEL: 'silent',
    },
  }
  return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, ['dist/commands.js', 'mail:check', ...args], settings, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

test('the exit code is 0 if all is well, 1 if something is missing or cannot be read, and 2 for wrong usage', async () => {
  const [good, missing, unread, misused] = await Promise.all([
    check(records, domain),
    check({ ...records, [`_dmarc.${domain}`]: [] }, domain),
    check(null, domain),
    check(records, domain, 'more'),
  ])
  expect(good).toMatchObject({ status: 0, stderr: '' })
  expect(good.stdout.match(/: good\./g)).toHaveLength(3)
  expect(missing.status).toBe(1)
  expect(missing.stdout).toContain(`DMARC: missing. _dmarc.${domain} has no DMARC record.`)
  expect(unread.status).toBe(1)
  expect(unread.stderr).toContain(`The records of ${domain} could not be read`)
  expect(misused).toEqual({ status: 2, stdout: '', stderr: 'Usage: npm run mail:check -- DOMAIN\n' })
})
