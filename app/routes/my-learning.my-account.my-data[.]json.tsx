import type { LoaderFunctionArgs } from '@remix-run/node'
import { requireLearner } from '~/http/context.server.ts'
import { jsonFile } from '~/http/json-file.server.ts'
import { readOwnData } from '~/services/read/own-data.server.ts'

export async function loader(args: LoaderFunctionArgs): Promise<Response> {
  const ctx = await requireLearner(args)
  // The file is sent part by part, so what is refused must be refused before the first.
  if (ctx.viewAs) throw new Response(null, { status: 403, statusText: 'Access Error' })
  return jsonFile('my-data.json', readOwnData(ctx))
}
