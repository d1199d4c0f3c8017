import { searchKey } from '~/lib/text.ts'
import { type Ctx, siteContext, type Viewer } from '~/services/context.ts'
import { recordStatements } from '~/services/xapi/xapi.server.ts'
import type { Database } from '~db/client.server.ts'
import { aModule, storyOf, visit } from '../../support/cmi5.ts'
import { aContext, aUser } from '../../support/context.ts'
import type { Product } from './product.ts'

export type FilledModule = { uid: string; name: string; empty: string; learner: string }

export const naughtyName = 'A/B: "dose" <b>*?|\\ 5 % of 10 mg'
export const formulaName = '=HYPERLINK("http://evil.example")'

/**
 * Creates on each site a module with a name that no file may have. It has 130 learners with names of all kinds; one of
 * them has two attempts, more than a hundred statements and a voided one. Another module has never been opened.
 */
export async function fillReports({ db }: Product): Promise<Record<'institutional' | 'ns', FilledModule>> {
  return { institutional: await fill(db, 'institutional'), ns: await fill(db, 'ns') }
}

async function fill(db: Database, site: 'institutional' | 'ns'): Promise<FilledModule> {
  const system = await aContext(db, { site })
  const plan = { plan: await firstPlan(system) }
  const units = [{ moveOn: 'Completed' }, { moveOn: 'Passed', masteryScore: 0.6 }]
  const module = await aModule(system, { ...plan, name: naughtyName, units })
  const { uid: empty } = await aModule(system, { ...plan, name: 'Nobody has been here' })
  const person = (firstName: string, lastName: string) =>
    aUser(db, { site, ...plan, firstName, lastName, email: `${crypto.randomUUID()}@x.example` })
  const learner = await person('María Guadalupe', 'Castellanos-Villaseñor')
  await work({ ...system, viewer: learner }, module, system)
  await db
    .insertInto('module_progress')
    .values(
      (await people(db, system)).map(({ id }, index) => ({
        site_id: system.site.id,
        user_id: id,
        module_id: module.id,
        started_at: new Date(Date.UTC(2026, 0, 1 + index)),
        last_visited_at: new Date(Date.UTC(2026, 1, 1 + index)),
        progress_percent: index % 3 === 0 ? 100 : index % 100,
        completed_at: index % 3 === 0 ? new Date(Date.UTC(2026, 1, 1 + index)) : null,
        highest_score: index % 4 === 0 ? null : index % 100,
      })),
    )
    .execute()
  return { uid: module.uid, name: naughtyName, empty, learner: learner.uid }
}

async function firstPlan({ db, site }: Ctx): Promise<string> {
  const plan = db.selectFrom('access_plans').select('name').where('site_id', '=', site.id).orderBy('id')
  return (await plan.executeTakeFirstOrThrow()).name
}

/** The people have no password, since tests only look at them. */
function people(db: Database, { site }: Ctx): Promise<{ id: number }[]> {
  const names = [
    ['Eve', formulaName],
    ['<script>alert(1)</script>', 'Ünïcödé 💊'],
    ...Array.from({ length: 127 }, (_, index) => ['Sam', `Sample ${String(index).padStart(3, '0')}`]),
  ]
  return db
    .insertInto('users')
    .values(
      names.map(([first_name, last_name], index) => ({
        site_id: site.id,
        email: `sample${index}@people.example`,
        email_key: `sample${index}@people.example`,
        first_name,
        last_name,
        search_key: searchKey(`${first_name} ${last_name}`),
        is_active: true,
      })),
    )
    .returning('id')
    .execute()
}

async function work(learner: Ctx & { viewer: Viewer }, module: Awaited<ReturnType<typeof aModule>>, system: Ctx) {
  const launch = { moduleVersionUid: module.versionUid }
  const [first, second] = module.units
  await visit(learner, { ...launch, unitUid: first?.uid }, 'completed')
  const question = {
    id: 'https://example.org/q/1',
    definition: {
      type: 'http://adlnet.gov/expapi/activities/cmi.interaction',
      interactionType: 'choice',
      description: { en: 'Which well turned first?' },
      choices: [{ id: 'a', description: { en: 'Well A1' } }],
    },
  }
  const { session } = await visit(
    learner,
    { ...launch, unitUid: second?.uid },
    ...Array.from({ length: 105 }, (): [string, object] => ['experienced', {}]),
    ['answered', { object: question, result: { response: 'a', success: true } }],
    ['passed', { score: { scaled: 0.8 } }],
  )
  const story = await storyOf(learner.db, session.registrationUid)
  const answer = story.find(({ verb }) => verb === 'answered')
  const authority = { mbox: 'mailto:lms@example.org' }
  const voiding = {
    actor: authority,
    verb: { id: 'http://adlnet.gov/expapi/verbs/voided' },
    object: { objectType: 'StatementRef', id: answer?.body.id },
  }
  await recordStatements(siteContext(system), { statements: [voiding], authority, version: '1.0.3' })
  await visit(learner, { ...launch, retake: true })
}
