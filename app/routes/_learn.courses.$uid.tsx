import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { CoursePage } from '~/components/courses/course-page.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { notFoundPage } from '~/http/respond.server.ts'
import { formatDay } from '~/lib/dates.ts'
import { isUid } from '~/lib/uid.ts'
import { findCoursePage } from '~/pages/courses.server.ts'
import { ownDueOf } from '~/pages/own-due.server.ts'
import { tagsOf } from '~/pages/tags.server.ts'

export const meta = pageTitle('Course Details')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const courseUid = args.params.uid ?? ''
  const course = isUid(courseUid) ? await findCoursePage(ctx, { courseUid }) : null
  if (!course) throw notFoundPage()
  const { startedAt, ...rest } = course
  const [tags, ownDue] = await Promise.all([
    tagsOf(ctx, 'courses', courseUid),
    ownDueOf(ctx, { kind: 'course', itemUid: courseUid }),
  ])
  return { tags, ownDue, course: { ...rest, startedOn: startedAt && formatDay(startedAt, ctx.site.timeZone) } }
}

export default function Course() {
  return <CoursePage {...useLoaderData<typeof loader>()} />
}
