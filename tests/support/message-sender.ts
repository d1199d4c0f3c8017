/** A process that sends the mails of messages until it is killed: `message-sender.ts DATABASE_URL SMTP_URL`. */
import { env } from '~/config/env.server.ts'
import { sendMessages } from '~/services/announcements/send-messages.server.ts'
import { createDatabase } from '~db/client.server.ts'
import { aContext } from './context.ts'

const [, , connectionString = '', smtpUrl] = process.argv
env().SMTP_URL = smtpUrl
const { db } = createDatabase({ connectionString, poolSize: 10 })
process.stdout.write('ready\n')
for (;;) {
  const { handedOver } = await sendMessages(await aContext(db))
  if (handedOver === 0) break
}
process.stdout.write('done\n')
process.exit(0)
