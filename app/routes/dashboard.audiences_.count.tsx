import type { LoaderFunctionArgs } from '@remix-run/node'
import { countTyped } from '~/pages/audience-form.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'

/** How many people meet the conditions in the address, for the dialog while somebody types. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'audiences')
  const { searchParams } = new URL(args.request.url)
  const values = Object.fromEntries([...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name)]))
  return { count: await countTyped(ctx, values) }
}
