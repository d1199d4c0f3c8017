/** What went wrong in a browser, as a line of the log (docs/decisions/010). Nothing is stored, and nobody is named. */
import { clientErrorForm } from '~/forms/client-errors.ts'
import type { Ctx } from '../context.ts'
import { Invalid, Unavailable } from '../errors.ts'
import { addressPrefix, countAttempts } from '../limits/limits.server.ts'
import { masked } from './masking.ts'

const windowSeconds = 60

/** Throws Invalid for what is no report, and Unavailable for more than `perMinute` of one network. */
export async function reportClientError(
  ctx: Ctx,
  input: { report: unknown; perMinute: number; routeOf: (path: string) => string },
): Promise<void> {
  const parsed = clientErrorForm.safeParse(input.report)
  if (!parsed.success) throw new Invalid('This is no report of an error.', {}, 'client_error.invalid')
  const [count = 0] = await countAttempts(ctx, [`client-error:${addressPrefix(ctx.address)}`], windowSeconds)
  if (count > input.perMinute) throw new Unavailable('Too many reports.', windowSeconds, 'rate_limited')
  const { kind, message, stack, path, build, status, attempt, request } = parsed.data
  ctx.log.warn(
    {
      kind,
      message: kind === 'answer' ? answered(message, input.routeOf) : masked(message),
      route: input.routeOf(path),
      build: masked(build),
      ...(stack && { stack: masked(stack) }),
      ...(status && { status }),
      ...(attempt && { attempt }),
      ...(request && { failed: masked(request) }),
    },
    'client error',
  )
}

/** "GET /modules/:id.data": of the address that failed no more than of any other in the log. */
function answered(message: string, routeOf: (path: string) => string): string {
  const [method = '', path = ''] = message.split(' ')
  return `${/^[A-Z]{1,7}$/.test(method) ? method : '?'} ${routeOf(path)}`
}
