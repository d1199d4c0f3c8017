import type { LoaderFunctionArgs } from '@remix-run/node'
import { requireSection } from '~/pages/console-section.server.ts'
import { coursesToPick } from '~/pages/course-list.server.ts'
import { loadPicker } from '~/pages/picker.server.ts'

/** Pages of courses for the picker. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'courses-page')
  return loadPicker(coursesToPick(ctx), args.request)
}
