import type { LoaderFunctionArgs } from '@remix-run/node'
import { defaultSection, findSection } from '~/components/console/sections.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'

/** Redirects sections that are not built yet, and unknown names, to the default section. */
export async function loader(args: LoaderFunctionArgs) {
  const id = args.params.section
  await requireSection(args, id)
  const text = `The section “${findSection(id)?.label}” is not available yet.`
  return redirectWithNotice(args, `/dashboard/${defaultSection}/`, { kind: 'info', text })
}

export default function Section() {
  return null
}
