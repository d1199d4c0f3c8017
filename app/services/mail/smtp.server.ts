/**
 * Connections to the mail server. They are nodemailer's, but the pool is ours: its own would send a message again on
 * another connection when one breaks, also if the server may have taken the message.
 */
import { Readable } from 'node:stream'
import { parseConnectionUrl } from 'nodemailer/lib/shared'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { env } from '~/config/env.server.ts'
import { isOtherFault } from './faults.ts'

export type Outcome =
  | { state: 'accepted'; response: string }
  /** The server will never take it. `isAddress`: because of the address, so the next mail would fare no better. */
  | { state: 'refused'; response: string; isAddress: boolean }
  /** Not now: it may be tried again. */
  | { state: 'deferred'; response: string }
  /** Handed over, and no answer came. The server may have taken it. */
  | { state: 'in_doubt'; response: string }

/** One connection, which carries one mail at a time. */
export type SmtpLane = { connection: SMTPConnection; isBroken: boolean }

/** No mail was touched: the server cannot be reached, or does not let us in. */
export class NoConnection extends Error {}

/** A server that answers takes its time to check a message. RFC 5321 allows for ten minutes. */
const answerMs = 120_000

/** Opens a connection and logs in. Throws NoConnection. */
export async function openLane(): Promise<SmtpLane> {
  const { host, port, secure, auth, tls, name, ...more } = parseConnectionUrl(env().SMTP_URL)
  const connection = new SMTPConnection({
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(secure !== undefined && { secure }),
    ...(tls !== undefined && { tls }),
    ...(typeof name === 'string' && { name }),
    ...('ignoreTLS' in more && { ignoreTLS: Boolean(more.ignoreTLS) }),
    ...('requireTLS' in more && { requireTLS: Boolean(more.requireTLS) }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: answerMs,
  })
  const lane: SmtpLane = { connection, isBroken: false }
  // An idle connection that breaks is replaced before the next mail. Without a listener it would end the process.
  const broken = () => {
    lane.isBroken = true
  }
  connection.on('error', broken)
  connection.on('end', broken)
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('error', reject)
      connection.connect((error) => (error ? reject(error) : resolve()))
    })
    if (auth) {
      await new Promise<void>((resolve, reject) => {
        connection.login(auth, (error) => (error ? reject(error) : resolve()))
      })
    }
    return lane
  } catch (error) {
    connection.close()
    throw new NoConnection((error as Error).message)
  }
}

export function closeLane({ connection, isBroken }: SmtpLane): void {
  if (isBroken) connection.close()
  else connection.quit()
}

type SmtpError = Error & { responseCode?: number; command?: string }

/** Sends one mail and says what became of it. Never throws. */
export async function sendBySmtp(
  lane: SmtpLane,
  { from, to, source }: { from: string; to: string; source: Buffer },
): Promise<Outcome> {
  let isHandedOver = false
  // Read only once the server has said that it takes the data.
  const message = new Readable({
    read() {
      isHandedOver = true
      this.push(source)
      this.push(null)
    },
  })
  return new Promise((resolve) => {
    lane.connection.send({ from, to: [to], size: source.length }, message, (error, info) => {
      if (!error) return resolve({ state: 'accepted', response: info?.response ?? '' })
      const outcome = outcomeOf(error as SmtpError, isHandedOver)
      if (lane.connection.destroyed) lane.isBroken = true
      if (lane.isBroken) return resolve(outcome)
      // A refused mail leaves its envelope behind.
      lane.connection.reset((failed) => {
        if (failed) lane.isBroken = true
        resolve(outcome)
      })
    })
  })
}

function outcomeOf(error: SmtpError, isHandedOver: boolean): Outcome {
  const response = error.message.slice(0, 1000)
  const { responseCode = 0 } = error
  if (responseCode >= 500) return { state: 'refused', response, isAddress: isAboutAddress(error) }
  if (responseCode >= 400 || !isHandedOver) return { state: 'deferred', response }
  return { state: 'in_doubt', response }
}

function isAboutAddress({ command, message }: SmtpError): boolean {
  return command === 'RCPT TO' && !isOtherFault(message)
}
