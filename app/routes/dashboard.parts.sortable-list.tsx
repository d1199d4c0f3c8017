import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import type { ClientActionFunctionArgs } from '@remix-run/react'
import { revalidatesAfterPosts } from '~/components/console/grid/revalidation.ts'
import { keepForm } from '~/components/console/keep-form.ts'
import { type SortableExample, SortableListExample } from '~/components/console/parts/sortable-list.tsx'
import type { OrderAnswer } from '~/components/console/sortable/order-form.tsx'
import { moveTo, orderForm, placeAfterStep, writeOrder } from '~/forms/order.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { refusalOfList } from '~/http/list-conflict.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { notFoundPage, withForm } from '~/http/respond.server.ts'
import { changedOrder, listSectionsToArrange } from '~/pages/modules-page.server.ts'
import { requireParts } from '~/pages/parts.server.ts'
import { actsAsAdmin, type Ctx } from '~/services/context.ts'
import { parseInput } from '~/services/input.ts'
import { updateModulesOrder } from '~/services/modules/order.server.ts'

export const meta = pageTitle('Dashboard : Parts')

export async function loader(args: LoaderFunctionArgs): Promise<SortableExample> {
  const ctx = await requireParts(args)
  const section = await firstSection(ctx)
  return { section: section.name, items: section.items, isAcross: isAcross(args), isSaved: isSaved(args, ctx) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireParts(args)
  return withForm(args, ctx, async (form): Promise<OrderAnswer | Response> => {
    const { order, opened, move } = parseInput(orderForm, Object.fromEntries(form))
    if (move) {
      const to = placeAfterStep(order, move.uid, move.step, { isAcross: isAcross(args) })
      return { order: writeOrder(to ? moveTo(order, move.uid, to) : order), opened: writeOrder(opened) }
    }
    if (isSaved(args, ctx)) {
      const changes = changedOrder((await firstSection(ctx)).uid, { order, opened })
      if (changes) {
        await updateModulesOrder(ctx, changes).catch((error: unknown) => {
          throw refusalOfList(error, { form, opened: 'opened', noun: 'order' })
        })
      }
      // The page is loaded again, so somebody whose page was out of date sees the order that is stored.
      return redirectWithNotice(args, '/dashboard/parts/sortable-list/', {
        kind: changes ? 'success' : 'info',
        text: changes ? 'Order has been saved.' : 'Nothing was moved. This is the saved order.',
      })
    }
    const counts = order.map(({ inside = [] }) => inside.length).join(', ')
    const text = `Received ${order.length} chapters with ${counts} modules.`
    const search = isAcross(args) ? '?across=1' : ''
    return redirectWithNotice(args, `/dashboard/parts/sortable-list/${search}`, { kind: 'success', text })
  })
}

function isAcross({ request }: { request: Request }): boolean {
  return new URL(request.url).searchParams.has('across')
}

/** Only admins may save an order, and no order in which modules have changed chapters is saved. */
function isSaved(args: { request: Request }, ctx: Ctx): boolean {
  return !isAcross(args) && actsAsAdmin(ctx)
}

async function firstSection(ctx: Ctx) {
  const [section] = await listSectionsToArrange(ctx)
  if (!section) throw notFoundPage()
  return section
}

export const shouldRevalidate = revalidatesAfterPosts

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving the order. Please try again later.')
}

export default SortableListExample
