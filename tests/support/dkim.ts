/** A key that signs mails, and the independent verifier that finds its record. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { env } from '~/config/env.server.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const keyFile = path.join(mkdtempSync(path.join(os.tmpdir(), 'dkim-')), 'key.pem')
writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))

/** The TXT record of the key. */
export const dkimRecord = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`

/** Works while mails of Titrate are signed for titrate.example. */
export async function whileSigned<T>(work: () => Promise<T>): Promise<T> {
  const before = { ...env() }
  Object.assign(env(), {
    DKIM_DOMAIN: 'titrate.example',
    DKIM_SELECTOR: 'mail',
    DKIM_KEY_FILE: keyFile,
    MAIL_RETURN_ADDRESS: 'bounce+{token}@mail.titrate.example',
  })
  try {
    return await work()
  } finally {
    Object.assign(env(), before)
  }
}

/** Verifies the signatures of a mail, and says which records were asked for. */
export async function verifyDkim(source: Buffer) {
  const asked: string[] = []
  const resolver = async (name: string, type: string) => {
    asked.push(`${type} ${name}`)
    return [[dkimRecord]]
  }
  const { results } = await dkimVerify(source, { resolver })
  return { results, asked }
}
