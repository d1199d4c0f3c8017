import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { launchInfo } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { findOwnModulesProgress } from '~/services/progress/progress.server.ts'
import { aModule, storyOf } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aStore } from '../support/xapi.ts'

/** Both published libraries, with just enough of a browser around them, against our handlers over HTTP. */
const { db, ctx, origin } = await aStore()
env().CONTENT_ORIGIN = origin

/** The parts of XMLHttpRequest that axios uses. */
class Xhr {
  status = 0
  statusText = ''
  responseText = ''
  response = ''
  responseURL = ''
  readyState = 0
  onloadend: (() => void) | null = null
  onerror: ((error: unknown) => void) | null = null
  private readonly sent = { method: '', url: '', headers: new Headers() }
  private received = new Headers()

  open(method: string, url: string): void {
    Object.assign(this.sent, { method, url })
  }
  setRequestHeader(name: string, value: string): void {
    this.sent.headers.set(name, value)
  }
  getAllResponseHeaders(): string {
    return [...this.received].map((pair) => pair.join(': ')).join('\r\n')
  }
  send(body: string | null): void {
    const { method, url, headers } = this.sent
    fetch(url, { method, headers, body: body ?? null })
      .then(async (answer) => {
        this.received = answer.headers
        this.responseText = await answer.text()
        Object.assign(this, { response: this.responseText, status: answer.status, responseURL: url, readyState: 4 })
        this.onloadend?.()
      })
      .catch((error: unknown) => this.onerror?.(error))
  }
}

Object.assign(globalThis, { self: globalThis, window: globalThis, XMLHttpRequest: Xhr })

// The packages have no entry point for Node, so each is required by the path of its bundle.
function load(path: string) {
  const library = createRequire(import.meta.url)(path)
  return library.default ?? library
}

async function aLaunch() {
  const module = await aModule(ctx, { units: [{ masteryScore: 0.8, moveOn: 'CompletedAndPassed' }] })
  const learner = await aContext(db, { viewer: await aUser(db) })
  const { launchUrl, error } = await launchInfo(learner, { moduleVersionUid: module.versionUid })
  expect(error).toBeNull()
  return { learner, module, launchUrl: launchUrl as string }
}

async function expectDone(learner: Ctx, moduleUid: string, launchUrl: string) {
  const registration = new URL(launchUrl).searchParams.get('registration') as string
  const verbs = (await storyOf(db, registration)).map(({ verb }) => verb)
  expect(verbs.slice(0, 2)).toEqual(['launched', 'initialized'])
  expect(verbs.at(-1)).toBe('terminated')
  expect(verbs).toEqual(expect.arrayContaining(['completed', 'passed', 'satisfied']))
  const progress = (await findOwnModulesProgress(learner, { moduleUids: [moduleUid] })).get(moduleUid)
  expect(progress).toMatchObject({ percent: 100, highestScore: 90 })
}

test('@rusticisoftware/cmi5 starts, reports, passes, completes and ends', async () => {
  const { learner, module, launchUrl } = await aLaunch()
  const Cmi5 = load('@rusticisoftware/cmi5/dist/cmi5.js')
  const cmi5 = new Cmi5(launchUrl)
  await cmi5.start()
  expect(cmi5.getLaunchMode()).toBe('Normal')
  expect(cmi5.getMasteryScore()).toBe(0.8)
  cmi5.setProgress(50)
  const step = cmi5.prepareStatement('http://adlnet.gov/expapi/verbs/experienced')
  await cmi5.sendStatement(step)
  await cmi5.passed({ scaled: 0.9 })
  await cmi5.completed()
  await cmi5.terminate()
  await expectDone(learner, module.uid, launchUrl)
})

function aClient(launchUrl: string) {
  const Cmi5 = load('@xapi/cmi5/dist/Cmi5.umd.js')
  const parameters = Object.fromEntries(new URL(launchUrl).searchParams)
  return new Cmi5({ ...parameters, actor: JSON.parse(parameters.actor as string) })
}

test('@xapi/cmi5 initializes, answers, passes, completes and ends', async () => {
  const { learner, module, launchUrl } = await aLaunch()
  const cmi5 = aClient(launchUrl)
  await cmi5.initialize()
  await cmi5.progress(40)
  await cmi5.interactionTrueFalse('test1', 'question1', true, true, { en: 'Q' }, { en: 'Is it?' }, true)
  await cmi5.complete()
  await cmi5.pass({ scaled: 0.9 })
  await cmi5.terminate()
  await expectDone(learner, module.uid, launchUrl)
  const answers = await db.selectFrom('question_answers').select(['kind', 'is_correct']).execute()
  expect(answers).toEqual([{ kind: 'quiz', is_correct: true }])
})

test('cmi5 11.0: @xapi/cmi5 continues if its learner’s preferences cannot be changed', async () => {
  env().CMI5_FIXED_PREFERENCES = true
  try {
    const { learner, module, launchUrl } = await aLaunch()
    const cmi5 = aClient(launchUrl)
    await cmi5.initialize()
    const profile = {
      agent: cmi5.launchParameters.actor,
      profileId: 'cmi5LearnerPreferences',
      profile: { languagePreference: 'fr', audioPreference: 'off' },
    }
    await expect(cmi5.xapi.createAgentProfile(profile)).rejects.toMatchObject({ response: { status: 403 } })
    await cmi5.complete()
    await cmi5.pass({ scaled: 0.9 })
    await cmi5.terminate()
    await expectDone(learner, module.uid, launchUrl)
  } finally {
    env().CMI5_FIXED_PREFERENCES = false
  }
})
