import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { CoursesWithModule } from '~/components/console/modules/courses-with-module.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { listCoursesWithModule } from '~/services/courses/courses.server.ts'
import { getModule } from '~/services/modules/modules.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { uid, name } = await getModule(ctx, { moduleUid: args.params.uid ?? '' }).catch(throwAsPage)
  return { name, courses: await listCoursesWithModule(ctx, { moduleUid: uid }) }
}

export default function Courses() {
  return <CoursesWithModule {...useLoaderData<typeof loader>()} />
}
