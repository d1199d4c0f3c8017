import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { CatalogForm, type CatalogView } from '~/components/console/courses/catalog-form.tsx'
import { revalidatesAfterPosts } from '~/components/console/grid/revalidation.ts'
import { keepForm } from '~/components/console/keep-form.ts'
import { readUids } from '~/forms/picked.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { refusalOfList } from '~/http/list-conflict.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { answerCatalogButton, getCatalogView, itemsIn } from '~/pages/course-list.server.ts'
import { setCourseCatalogItems } from '~/services/courses/catalog.server.ts'

export const meta = pageTitle('Dashboard : Courses Page Manager')

export async function loader(args: LoaderFunctionArgs) {
  return getCatalogView(await requireSection(args, 'courses-page'), args.request)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'courses-page')
  const answer = await withForm(args, ctx, async (form): Promise<CatalogView | Response> => {
    const view = await answerCatalogButton(ctx, form, args.request)
    if (view) return view
    const list = { items: readUids(text(form, 'items')), openedItems: readUids(text(form, 'openedItems')) }
    await setCourseCatalogItems(ctx, list).catch((error: unknown) => {
      throw refusalOfList(error, { form, opened: 'openedItems', noun: 'list' })
    })
    return redirectWithNotice(args, '/dashboard/courses-page/', {
      kind: 'success',
      text: 'Course list has been updated.',
    })
  })
  // A list that was refused comes back with the names of its courses.
  if (answer instanceof Response || !('data' in answer)) return answer
  const { items = '', openedItems } = answer.data.values
  return data({ ...answer.data, items: await itemsIn(ctx, items), openedItems }, answer.init ?? undefined)
}

export const shouldRevalidate = revalidatesAfterPosts

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error updating Course List. Please try again later.')
}

export default function CoursesPage() {
  return (
    <>
      <h1>Manage Courses Page</h1>
      <p className="muted">Learners see the courses that their groups have access to, in this order.</p>
      <CatalogForm {...useLoaderData<typeof loader>()} />
    </>
  )
}
