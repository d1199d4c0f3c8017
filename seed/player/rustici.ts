import Cmi5 from '@rusticisoftware/cmi5'
import { startPlayer } from './player.ts'
import {
  answeredVerb,
  type Bookmark,
  bookmarkId,
  choiceActivity,
  emptyBookmark,
  progressExtension,
  progressedVerb,
  type Recorder,
} from './recorder.ts'

const au = new Cmi5(document.location.href)

function stateAddress(): string {
  const query = new URLSearchParams({
    stateId: bookmarkId,
    activityId: au.getActivityId(),
    agent: JSON.stringify(au.getActor()),
    registration: au.getRegistration(),
  })
  return `${au.getEndpoint().replace(/\/$/, '')}/activities/state?${query}`
}

const headers = () => ({ Authorization: au.getAuth(), 'X-Experience-API-Version': '1.0.3' })

async function readBookmark(): Promise<Bookmark> {
  const response = await fetch(stateAddress(), { headers: headers() })
  return response.ok ? ((await response.json()) as Bookmark) : emptyBookmark
}

const recorder: Recorder = {
  async start() {
    await au.start()
    return {
      masteryScore: au.getMasteryScore() ?? null,
      mode: au.getLaunchMode(),
      returnUrl: au.getReturnURL() ?? null,
      bookmark: await readBookmark(),
    }
  },
  async saveBookmark(bookmark) {
    const response = await fetch(stateAddress(), {
      method: 'PUT',
      headers: { ...headers(), 'Content-Type': 'application/json' },
      body: JSON.stringify(bookmark),
      keepalive: true,
    })
    if (!response.ok) throw new Error(`Failed to save the bookmark: status code ${response.status}`)
  },
  async progress(percent) {
    const statement = au.prepareStatement(progressedVerb)
    statement.result = { extensions: { [progressExtension]: percent } }
    await au.sendStatement(statement)
  },
  async answered(answer) {
    const statement = au.prepareStatement(answeredVerb)
    statement.object = choiceActivity(au.getActivityId(), answer)
    statement.result = { response: answer.chosen.join('[,]'), success: answer.isCorrect }
    await au.sendStatement(statement)
  },
  async completed() {
    await au.completed()
  },
  async judged(scaled, hasPassed) {
    await (hasPassed ? au.passed({ scaled }) : au.failed({ scaled }))
  },
  async terminate() {
    await au.terminate()
  },
  async isOver() {
    const { status } = await fetch(stateAddress(), { headers: headers() })
    return status === 401 || status === 403
  },
}

startPlayer(recorder)
