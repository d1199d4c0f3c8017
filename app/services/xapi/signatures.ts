import { X509Certificate } from 'node:crypto'
import { compactVerify, decodeProtectedHeader, type ProtectedHeaderParameters } from 'jose'
import { Invalid } from '../errors.ts'
import { essenceOf } from './attachment-rules.ts'
import { contentHash } from './identity.ts'
import type { Statement, XapiVersion } from './types.ts'
import { parseStatements } from './validate.ts'
import { parseTimestamp } from './values.ts'

/*
 * Signed statements (xAPI 1.0.3 data 2.6) have a JSON web signature of the statement as an attachment. The check finds
 * mistakes. Readers decide whether to trust the signer.
 */
const usage = 'http://adlnet.gov/expapi/attachments/signature'
const algorithms = ['RS256', 'RS384', 'RS512']
const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Checks the signature of a statement if it has one. `bytes` are those of the request, by SHA-2 in lower case. */
export async function checkSignature(
  statement: Statement,
  bytes: Map<string, Buffer>,
  version: XapiVersion,
): Promise<void> {
  const signatures = statement.attachments?.filter(({ usageType }) => usageType === usage) ?? []
  const [signature] = signatures
  if (!signature) return
  if (signatures.length > 1) throw refused('A statement can have only one signature')
  if (essenceOf(signature.contentType) !== 'application/octet-stream') {
    throw refused('The contentType of a signature must be application/octet-stream')
  }
  const content = bytes.get(signature.sha2.toLowerCase())
  if (!content) throw refused('A signature must come with its bytes, because it cannot be checked without them')
  const jws = content.toString('latin1')
  if (!compact.test(jws)) throw refused('The signature is not a JSON web signature in compact serialization')
  const header = headerOf(jws)
  requireSame(signedStatement(jws, version), statement)
  if (header.x5c !== undefined) await verify(jws, header.x5c)
}

function headerOf(jws: string): ProtectedHeaderParameters {
  let header: ProtectedHeaderParameters
  try {
    header = decodeProtectedHeader(jws)
  } catch {
    throw refused('The header of the signature is not JSON')
  }
  if (!algorithms.includes(header.alg ?? '')) throw refused('A signature must use RS256, RS384 or RS512')
  if (header.crit !== undefined) throw refused('The header of the signature names unknown extensions')
  return header
}

function signedStatement(jws: string, version: XapiVersion): Statement {
  let payload: unknown
  try {
    const bytes = Buffer.from(jws.split('.')[1] ?? '', 'base64url')
    payload = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw refused('The signed content is not JSON')
  }
  if (Array.isArray(payload)) throw refused('The signed content must be one statement')
  try {
    return parseStatements(payload, version)[0] as Statement
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    throw refused(`The signed content is not a statement: ${error.message.replace(/\.$/, '')}`)
  }
}

/**
 * Requires logically equivalent statements, apart from the signature itself and what a store or a client library adds.
 */
function requireSame(signed: Statement, sent: Statement): void {
  const isSame =
    agree(signed.id, sent.id) &&
    agree(timeOf(signed), timeOf(sent)) &&
    sumsOf(signed) === sumsOf(sent) &&
    contentHash(signed).equals(contentHash(sent))
  if (!isSame) throw refused('The signed statement differs from the statement that was sent')
}

function agree<T>(one: T | undefined, other: T | undefined): boolean {
  return one === undefined || other === undefined || one === other
}

function timeOf({ timestamp }: Statement): number | null | undefined {
  return timestamp === undefined ? undefined : parseTimestamp(timestamp)
}

function sumsOf({ attachments = [] }: Statement): string {
  const others = attachments.filter(({ usageType }) => usageType !== usage)
  return others.map(({ sha2 }) => sha2.toLowerCase()).join()
}

/**
 * Verifies the signature with the first certificate. Each further certificate must have issued the one before it (RFC
 * 7515 4.1.6).
 */
async function verify(jws: string, x5c: unknown): Promise<void> {
  const certificates = certificatesOf(x5c)
  certificates.slice(1).forEach((issuer, index) => {
    const issued = certificates[index] as X509Certificate
    if (!issued.checkIssued(issuer) || !issued.verify(issuer.publicKey)) {
      throw refused(`Certificate ${index + 1} of the signature was not issued by the one after it`)
    }
  })
  try {
    await compactVerify(jws, (certificates[0] as X509Certificate).publicKey, { algorithms })
  } catch {
    throw refused('The signature does not match the certificate in its header')
  }
}

function certificatesOf(x5c: unknown): X509Certificate[] {
  const isList = Array.isArray(x5c) && x5c.length > 0 && x5c.length <= 20 && x5c.every((one) => typeof one === 'string')
  try {
    if (isList) return (x5c as string[]).map((one) => new X509Certificate(Buffer.from(one, 'base64')))
  } catch {
    // Refused below.
  }
  throw refused('x5c in the header of the signature is not a list of certificates')
}

function refused(problem: string): Invalid {
  return new Invalid(`${problem} (xAPI 2.6).`, {}, 'xapi.signature')
}
