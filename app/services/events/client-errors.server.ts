/** Logs errors that happened in a browser (docs/decisions/010). Nothing is stored, and nobody is named. */
import { clientErrorForm } from '~/forms/client-errors.ts'
import type { Ctx } from '../context.ts'
import { Invalid, Unavailable } from '../errors.ts'
import { addressPrefix, countAttempts } from '../limits/limits.server.ts'
import { masked } from './masking.ts'

const windowSeconds = 60

/**
 * Logs an error report. Throws Invalid for anything else, and Unavailable for more than `perMinute` reports from one
 * network.
 */
export async function reportClientError(
  ctx: Ctx,
  input: { report: unknown; perMinute: number; routeOf: (path: string) => string },
): Promise<void> {
  const parsed = clientErrorForm.safeParse(input.report)
  if (!parsed.success) throw new Invalid('This is not an error report.', {}, 'client_error.invalid')
  const [count = 0] = await countAttempts(ctx, [`client-error:${addressPrefix(ctx.address)}`], windowSeconds)
  if (count > input.perMinute) throw new Unavailable('Too many reports.', windowSeconds, 'rate_limited')
  const { kind, message, stack, path, build, status, attempt, request } = parsed.data
  ctx.log.warn(
    {
      kind,
      message: kind === 'answer' ? failedRequest(message, input.routeOf) : masked(message),
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

/**
 * Returns the method and route of a failed request, such as "GET /modules/:id.data". Like all log lines it does not
 * contain the address itself.
 */
function failedRequest(message: string, routeOf: (path: string) => string): string {
  const [method = '', path = ''] = message.split(' ')
  return `${/^[A-Z]{1,7}$/.test(method) ? method : '?'} ${routeOf(path)}`
}
