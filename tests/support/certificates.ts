import { createSign, type KeyObject, randomBytes } from 'node:crypto'

/** Makes X.509 certificates: hand-written DER with only the parts that signature tests need. */
const tlv = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content)
  const { length } = body
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), body])
  const bytes = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...bytes]), body])
}
const sequence = (...content: Buffer[]) => tlv(0x30, ...content)
// sha256WithRSAEncryption, 1.2.840.113549.1.1.11
const algorithm = sequence(tlv(0x06, Buffer.from('2a864886f70d01010b', 'hex')), tlv(0x05))
const commonName = (name: string) =>
  sequence(tlv(0x31, sequence(tlv(0x06, Buffer.from('550403', 'hex')), tlv(0x0c, Buffer.from(name)))))
const year = (value: number) => tlv(0x17, Buffer.from(`${value % 100}0101000000Z`))

/** Returns base64, as `x5c` requires. */
export function issueCertificate(input: {
  name: string
  publicKey: KeyObject
  issuer: string
  issuerKey: KeyObject
}): string {
  const now = new Date().getUTCFullYear()
  const serial = Buffer.concat([Buffer.from([0x01]), randomBytes(8)])
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, serial),
    algorithm,
    commonName(input.issuer),
    sequence(year(now - 1), year(now + 2)),
    commonName(input.name),
    input.publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = createSign('sha256').update(body).sign(input.issuerKey)
  return sequence(body, algorithm, tlv(0x03, Buffer.from([0]), signature)).toString('base64')
}
