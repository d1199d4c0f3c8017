import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { CourseList } from '~/components/courses/course-list.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { itemsPerPage } from '~/lib/list-page.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { viewsOfCourses } from '~/pages/courses.server.ts'
import { listCourseCards } from '~/services/courses/cards.server.ts'

export const meta = pageTitle('Directed Learning')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const page = pageNumber(new URL(args.request.url).searchParams.get('page'))
  const { items, total } = await listCourseCards(ctx, { limit: itemsPerPage, offset: (page - 1) * itemsPerPage })
  return { page, size: itemsPerPage, total, courses: await viewsOfCourses(ctx, items) }
}

export default function Courses() {
  return <CourseList {...useLoaderData<typeof loader>()} />
}
