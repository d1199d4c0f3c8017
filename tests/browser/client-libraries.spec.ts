/**
 * Both published cmi5 client libraries in a real unit, in the browser and across origins. Authoring tools put them into
 * packages (cmi5 8 to 11).
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { sql } from 'kysely'
import { findCard } from './support/cards.ts'
import { importModule } from './support/commands.ts'
import { haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'

// A learner without preferences has no such document, so the answer is 404 (cmi5 11).
test.use({ allowedErrors: [/status of 404 .*\/xapi\/agents\/profile/] })

// Each library has its own interface for the same conversation. The unit shows its result, so that a refusal is
// visible.
const conversations = [
  {
    library: '@rusticisoftware/cmi5',
    file: '@rusticisoftware/cmi5/dist/cmi5.js',
    talk: `
      const cmi5 = new (Cmi5.default ?? Cmi5)(location.href)
      await cmi5.start()
      say(cmi5.getLaunchMode() + ' ' + cmi5.getMasteryScore())
      await cmi5.sendStatement(cmi5.prepareStatement('http://adlnet.gov/expapi/verbs/experienced'))
      await cmi5.passed({ scaled: 0.9 })
      await cmi5.completed()
      await cmi5.terminate()
      say('said')`,
    first: 'Normal 0.8',
    between: ['experienced', 'passed', 'completed'],
  },
  {
    library: '@xapi/cmi5',
    file: '@xapi/cmi5/dist/Cmi5.umd.js',
    talk: `
      const cmi5 = Cmi5.instance
      await cmi5.initialize()
      say(cmi5.launchData.launchMode + ' ' + cmi5.launchData.masteryScore)
      await cmi5.interactionTrueFalse('quiz', 'question', true, true, { en: 'Q' }, { en: 'Is it?' }, true)
      await cmi5.pass({ scaled: 0.9 })
      await cmi5.complete()
      await cmi5.terminate()
      say('said')`,
    first: 'Normal 0.8',
    between: ['answered', 'passed', 'completed'],
  },
]

for (const { library, file, talk, first, between } of conversations) {
  test(`${library} starts, reports, passes, completes and ends`, async ({ page, product }) => {
    const source = await readFile(createRequire(import.meta.url).resolve(file), 'utf8')
    const html = `<main><h1>Unit</h1><ol></ol></main><script>${source}</script><script type="module">
      const say = (text) => document.querySelector('ol').append(Object.assign(document.createElement('li'), { textContent: text }))
      try {${talk}
      } catch (error) {
        say(String(error))
      }
    </script>`
    await importModule(product, library, [
      { title: 'Conversation', html, masteryScore: 0.8, moveOn: 'CompletedAndPassed' },
    ])
    await haveSession(page, 'learner')
    await (await findCard(page, library)).click()
    await page.waitForURL('**/viewer/**')
    await expect(page.frameLocator('iframe').getByRole('listitem')).toHaveText([first, 'said'])

    const { rows } = await sql<{ verb: string; percent: number }>`
      select substring(v.iri from '[^/]+$') as verb, r.progress_percent as percent
      from xapi_statements s join xapi_verbs v on v.id = s.verb_id join registrations r on r.uid = s.registration
      join modules m on m.id = r.module_id where m.name = ${library} order by s.seq`.execute(product.db)
    const verbs = rows.map(({ verb }) => verb).filter((verb) => verb !== 'satisfied')
    expect(verbs).toEqual(['launched', 'initialized', ...between, 'terminated'])
    // Follows the statement that met the last condition, and only for the course, which has no blocks.
    expect(rows.map(({ verb }) => verb).indexOf('satisfied')).toBe(verbs.indexOf('completed') + 1)
    expect(rows[0]?.percent).toBe(100)
    await page.goto('/my-learning/completed/')
    await expect(page.getByRole('heading', { name: library })).toBeVisible()
  })
}
