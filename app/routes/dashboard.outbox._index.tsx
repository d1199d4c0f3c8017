import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { OutboxList } from '~/components/console/outbox.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { formatMoment } from '~/lib/dates.ts'
import { isOutboxUsed } from '~/services/mail/mail.server.ts'
import { listOutboxMails } from '~/services/mail/outbox.server.ts'

const size = 20

export const meta = pageTitle('Dashboard : Outbox')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const asked = Number(new URL(args.request.url).searchParams.get('page') ?? 1)
  const { items, total, page } = await listOutboxMails(ctx, { page: asked, size })
  return {
    isUsed: isOutboxUsed(),
    page,
    size,
    total,
    mails: items.map(({ name, sentAt, to, subject }) => ({
      id: name.replace(/\.eml$/, ''),
      to,
      subject,
      sentAt: formatMoment(sentAt, ctx.site.timeZone),
    })),
  }
}

export default function Outbox() {
  return <OutboxList {...useLoaderData<typeof loader>()} />
}
