import type { LoaderFunctionArgs } from '@remix-run/node'
import { readUids } from '~/forms/picked.ts'
import { requireConsole } from '~/http/context.server.ts'
import { modulesForCourses } from '~/pages/course-builder.server.ts'
import { listBuilderModules } from '~/pages/course-editor.server.ts'
import { loadPicker } from '~/pages/picker.server.ts'

/** Pages of modules for the picker of the course builder; with `modules`, what the builder shows of these. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const chosen = new URL(args.request.url).searchParams.get('modules')
  if (chosen !== null) return { modules: await listBuilderModules(ctx, readUids(chosen)) }
  return loadPicker(await modulesForCourses(ctx), args.request)
}
