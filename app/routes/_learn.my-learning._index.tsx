import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireLearner } from '~/http/context.server.ts'

/** The browser handles the documented hashes (`#completed` …) on the page that this redirects to. */
export async function loader(args: LoaderFunctionArgs) {
  await requireLearner(args)
  return redirect('/my-learning/in-progress/')
}
