import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireLearner } from '~/http/context.server.ts'

/** The documented hashes (`#completed` …) lead on in the browser, from the page that this redirect ends on. */
export async function loader(args: LoaderFunctionArgs) {
  await requireLearner(args)
  return redirect('/my-learning/in-progress/')
}
