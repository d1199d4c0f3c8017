/** Audiences of the demo, which show what rules can say. */
import type { Condition } from '../app/forms/audiences.ts'
import { listAnswersToName, listAudiences, listThingsToName } from '../app/services/audiences/audiences.server.ts'
import { createAudience } from '../app/services/audiences/save-audience.server.ts'
import type { Ctx } from '../app/services/context.ts'

const learners: Condition = { about: 'group', how: 'is', values: ['learners'] }
const academic = ['Student', 'Postdoctoral scholar', 'Principal investigator']

/** Written only once: an interrupted start continues here with the site that has none. */
export async function seedAudiences(ctx: Ctx): Promise<void> {
  if ((await listAudiences(ctx)).total > 0) return
  const answers = await listAnswersToName(ctx)
  const positions = answers.filter(({ about, name }) => about === 'position' && academic.includes(name))
  const { items } = await listThingsToName(ctx, { about: 'module', search: '', size: 1 })
  const [module] = items
  const audiences: { name: string; conditions: Condition[] }[] = [
    { name: 'Not seen for 30 days', conditions: [learners, { about: 'seen', how: 'not_within', days: 30 }] },
    {
      name: 'Academic researchers',
      conditions: [learners, { about: 'position', how: 'is', values: positions.map(({ uid }) => uid) }],
    },
  ]
  if (module) {
    audiences.push({
      name: `Still to complete: ${module.name}`.slice(0, 100),
      conditions: [learners, { about: 'module', how: 'not_completed', values: [module.uid] }],
    })
  }
  for (const audience of audiences) await createAudience(ctx, audience)
}
