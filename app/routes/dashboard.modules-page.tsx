import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { revalidatesAfterPosts } from '~/components/console/grid/revalidation.ts'
import { keepForm } from '~/components/console/keep-form.ts'
import { type ListToArrange, type OrderAnswer, OrderForm } from '~/components/console/sortable/order-form.tsx'
import { orderForm, writeOrder } from '~/forms/order.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { isListConflict, refusalOfList } from '~/http/list-conflict.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { withForm } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import {
  changedSections,
  listSectionsToArrange,
  orderAfterConflict,
  orderAfterMove,
} from '~/pages/modules-page.server.ts'
import { parseInput } from '~/services/input.ts'
import { updateModulesOrders } from '~/services/modules/order.server.ts'

export const meta = pageTitle('Dashboard : Modules Page Manager')

export async function loader(args: LoaderFunctionArgs): Promise<{ sections: ListToArrange[] }> {
  const ctx = await requireSection(args, 'modules-page')
  return { sections: await listSectionsToArrange(ctx) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'modules-page')
  return withForm(args, ctx, async (form): Promise<OrderAnswer | Response> => {
    const { order, opened, move } = parseInput(orderForm, Object.fromEntries(form))
    const sections = await listSectionsToArrange(ctx)
    if (move) return { order: orderAfterMove(sections, order, move), opened: writeOrder(opened) }
    const orders = changedSections(sections, { order, opened })
    await updateModulesOrders(ctx, { orders }).catch(async (error: unknown) => {
      if (isListConflict(error)) {
        const stored = await listSectionsToArrange(ctx)
        form.set('order', orderAfterConflict(stored, { order, opened }))
      }
      throw refusalOfList(error, { form, opened: 'opened', noun: 'order' })
    })
    // Without JavaScript, Save can be pressed although nothing was moved.
    return redirectWithNotice(args, '/dashboard/modules-page/', {
      kind: orders.length > 0 ? 'success' : 'info',
      text: orders.length > 0 ? 'Modules have been updated.' : 'Nothing was moved. This is the saved order.',
    })
  })
}

export const shouldRevalidate = revalidatesAfterPosts

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error updating Modules. Please try again later.')
}

export default function ModulesPage() {
  const { sections } = useLoaderData<{ sections: ListToArrange[] }>()
  return (
    <>
      <h1>Manage Modules Page</h1>
      <p className="muted">
        Learners see the chapters and modules of each section in this order. A module is listed in the chapter that is
        set in its dialog, as long as “Add to Modules page” is checked there.
      </p>
      <OrderForm id="modules-order" label="Sections" lists={sections} insideNoun={['module', 'modules']} />
    </>
  )
}
