/** The access plans of a site in the console, and the renewal of access. */
import { randomUUID } from 'node:crypto'
import type { RenewalPreview, RenewalView } from '~/components/console/plans/view.ts'
import { durationUnits } from '~/forms/access-duration.ts'
import { type RenewalWindow, renewalWindows } from '~/forms/plans.ts'
import { getAccessPlan } from '~/services/access/plans.server.ts'
import type { Ctx } from '~/services/context.ts'
import { planRenewal } from '~/services/users/renew-access.server.ts'
import { findBulkView } from './bulk-operation.server.ts'

type Renewal = { planUid: string; window: string; duration: string; unit: string }

/** The form of a renewal. The address may name whose access it is about. */
export async function getRenewal(ctx: Ctx, input: { planUid: string; window: string | null }): Promise<RenewalView> {
  const [{ uid, name }, operation] = await Promise.all([
    getAccessPlan(ctx, input),
    findBulkView(ctx, { kind: 'renew-access', subjectUid: input.planUid.toLowerCase() }),
  ])
  const window = renewalWindows.find((one) => one === input.window) ?? '30'
  return { plan: { uid, name }, operation, window }
}

/** What a renewal would do. */
export async function previewRenewal(ctx: Ctx, input: Renewal): Promise<RenewalPreview> {
  const { duration, unit } = input
  const window = input.window as RenewalWindow
  const { learners } = await planRenewal(ctx, { ...input, window })
  return { uid: randomUUID(), window, duration, unit, learners, length: lengthInWords(duration, unit) }
}

function lengthInWords(duration: string, unit: string): string {
  const { name } = durationUnits[unit as keyof typeof durationUnits]
  return Number(duration) === 1 ? `one ${name.slice(0, -1)}` : `${Number(duration)} ${name}`
}
