import type { LoaderFunctionArgs } from '@remix-run/node'
import { ListOfParts } from '~/components/console/parts/list-of-parts.tsx'
import { requireParts } from '~/pages/parts.server.ts'

export async function loader(args: LoaderFunctionArgs) {
  await requireParts(args)
  return null
}

export default function Parts() {
  return <ListOfParts />
}
