/** Makes the accounts of the demo's people. */
import { brands } from '../../app/config/brands.ts'
import { ensureUniversity } from '../../app/services/institutions/institutions.server.ts'
import { createInvitation } from '../../app/services/invitations/invitations.server.ts'
import { activateUser, createUser } from '../../app/services/users/users.server.ts'
import { inTransaction } from '../../db/transaction.server.ts'
import { answerQuestions } from '../demo-answers.ts'
import { type DemoSite, dayBefore, emailOf } from './demo-site.ts'
import type { DemoPerson } from './people.ts'

/** Returns false if it was stopped before everybody was there. */
export async function makePeople(demo: DemoSite, passwordHash: string): Promise<boolean> {
  for (const person of demo.people) {
    if (demo.signal.aborted) return false
    if (!demo.accounts.has(person.name)) await makePerson(demo, person, passwordHash)
  }
  return true
}

async function makePerson(demo: DemoSite, person: DemoPerson, passwordHash: string): Promise<void> {
  const { name, firstName, lastName, groups, profileAnswers, state, joined, planDays } = person
  const brand = brands[demo.ctx.site.key]
  const plan = {
    subsidized: { planName: brand.subsidizedPlan, subscriptionType: 'subsidized' as const },
    full: { planName: 'Full Access', subscriptionType: 'paid' as const },
    free: { planName: 'Free Access', subscriptionType: 'free' as const },
    none: {},
  }[person.plan]
  const universityName = person.institution ?? brand.defaultUniversity
  const email = emailOf(demo.ctx, name)
  const account = { email, firstName, lastName, groups, universityName, planDays, ...plan }
  const userUid = await inTransaction({ ...demo.ctx, now: dayBefore(demo, joined, 6) }, async (ctx) => {
    await ensureUniversity(ctx, { name: universityName })
    if (state === 'invited') {
      await createInvitation(ctx, account)
      return null
    }
    const { uid } = await createUser(ctx, account)
    await activateUser(ctx, { userUid: uid, passwordHash })
    await answerQuestions(ctx, { uid, email, firstName, lastName }, profileAnswers)
    return uid
  })
  if (userUid !== null) demo.accounts.set(name, userUid)
}
