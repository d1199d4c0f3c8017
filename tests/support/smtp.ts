import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { env } from '~/config/env.server.ts'
import { type Eml, readEml } from '~/services/mail/eml.ts'

export type Received = Eml & { raw: string; to: string[] }

/** Starts a real SMTP server on loopback that SMTP_URL names until `close`. Its mails are in `received`. */
export async function startSmtp(): Promise<{
  url: string
  received: Received[]
  refuse: (count: number) => void
  close: () => Promise<void>
}> {
  const received: Received[] = []
  let refusals = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (refusals > 0) {
          refusals--
          return done(Object.assign(new Error('Try again later'), { responseCode: 451 }))
        }
        const raw = Buffer.concat(chunks).toString('utf8')
        received.push({ ...readEml(raw), raw, to: session.envelope.rcptTo.map(({ address }) => address) })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  env().SMTP_URL = url
  return {
    url,
    received,
    refuse: (count) => {
      refusals = count
    },
    close: async () => {
      env().SMTP_URL = undefined
      await new Promise<void>((resolve) => server.close(resolve))
    },
  }
}
