import type { SystemCtx } from './context.ts'

/** For how many days people can bring back what was removed. */
export const restorableDays = 30

export function daysAgo({ now }: Pick<SystemCtx, 'now'>, days: number): Date {
  return new Date(now.getTime() - days * 86_400_000)
}
