import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { env } from '~/config/env.server.ts'
import { type Eml, readEml } from '~/services/mail/eml.ts'

export type Received = Eml & { raw: string; from: string; to: string[] }

/** How the server treats a mail: takes it, refuses the address or the text, or takes it and breaks the connection. */
export type Treatment = 'take' | { atRcpt: number } | { atData: number } | 'drop'

/** Starts a real SMTP server on loopback that SMTP_URL names until `close`. Its mails are in `received`. */
export async function startSmtp(): Promise<{
  url: string
  received: Received[]
  refuse: (count: number) => void
  /** Decides about each mail by the address that it is to. */
  treat: (decide: (to: string) => Treatment) => void
  close: () => Promise<void>
}> {
  const received: Received[] = []
  let refusals = 0
  let decide: (to: string) => Treatment = () => 'take'
  const refusal = (code: number) => {
    const words = code >= 500 ? '5.1.1 No such person' : '4.2.1 Try again later'
    return Object.assign(new Error(words), { responseCode: code })
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onRcptTo({ address }, _session, done) {
      const treatment = decide(address)
      done(typeof treatment === 'object' && 'atRcpt' in treatment ? refusal(treatment.atRcpt) : null)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (refusals > 0) {
          refusals--
          return done(Object.assign(new Error('Try again later'), { responseCode: 451 }))
        }
        const to = session.envelope.rcptTo.map(({ address }) => address)
        const treatment = decide(to[0] ?? '')
        if (typeof treatment === 'object' && 'atData' in treatment) return done(refusal(treatment.atData))
        const raw = Buffer.concat(chunks).toString('utf8')
        const { mailFrom } = session.envelope
        received.push({ ...readEml(raw), raw, from: mailFrom ? mailFrom.address : '', to })
        if (treatment === 'drop') return socketOf(server, session)?.destroy()
        done()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  env().SMTP_URL = url
  return {
    url,
    received,
    refuse: (count) => {
      refusals = count
    },
    treat: (by) => {
      decide = by
    },
    close: async () => {
      env().SMTP_URL = undefined
      await new Promise<void>((resolve) => server.close(resolve))
    },
  }
}

function socketOf(server: SMTPServer, session: SMTPServerSession): Socket | undefined {
  const { connections } = server as unknown as { connections: Set<{ id: string; _socket: Socket }> }
  return [...connections].find(({ id }) => id === session.id)?._socket
}
