import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { OutboxMail } from '~/components/console/outbox.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { formatMoment } from '~/lib/dates.ts'
import { getOutboxMail } from '~/services/mail/outbox.server.ts'

export const meta = pageTitle('Dashboard : Outbox')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const { to, subject, text, sentAt } = await getOutboxMail(ctx, { name: `${args.params.mail}.eml` }).catch(throwAsPage)
  return { to, subject, text, sentAt: formatMoment(sentAt, ctx.site.timeZone) }
}

export default function Mail() {
  return <OutboxMail {...useLoaderData<typeof loader>()} />
}
