import type { LoaderFunctionArgs } from '@remix-run/node'
import { isAbout, isPicked } from '~/forms/audiences.ts'
import { notFoundPage } from '~/http/respond.server.ts'
import { thingsToPick } from '~/pages/audience-form.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { loadPicker } from '~/pages/picker.server.ts'

/** Pages of institutions, modules or courses for the pickers of conditions. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'audiences')
  const { about } = args.params
  if (!isAbout(about) || !isPicked(about)) throw notFoundPage()
  return loadPicker(thingsToPick(ctx, { about, field: 'values' }), args.request)
}
