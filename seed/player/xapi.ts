import Cmi5 from '@xapi/cmi5'
import { startPlayer } from './player.ts'
import { type Bookmark, bookmarkId, choiceActivity, emptyBookmark, type Recorder, wasRefused } from './recorder.ts'

const au = Cmi5.instance

function stateKey() {
  const { activityId, actor, registration } = au.getLaunchParameters()
  return { activityId, agent: actor, registration, stateId: bookmarkId }
}

async function readBookmark(): Promise<Bookmark> {
  try {
    const { data } = await client().getState(stateKey())
    return data as unknown as Bookmark
  } catch {
    return emptyBookmark
  }
}

function client() {
  if (!au.xapi) throw new Error('The session has not begun')
  return au.xapi
}

const recorder: Recorder = {
  async start() {
    await au.initialize()
    const data = au.getLaunchData()
    return {
      masteryScore: data.masteryScore ?? null,
      mode: data.launchMode,
      returnUrl: data.returnURL ?? null,
      bookmark: await readBookmark(),
    }
  },
  async saveBookmark(bookmark) {
    await client().setState({ ...stateKey(), state: { ...bookmark } })
  },
  async progress(percent) {
    await au.progress(percent)
  },
  async answered(answer) {
    const { activityId } = au.getLaunchParameters()
    await au.interaction(
      activityId,
      answer.questionId,
      answer.chosen.join('[,]'),
      choiceActivity(activityId, answer).definition as never,
      answer.isCorrect,
    )
  },
  async completed() {
    await au.complete()
  },
  async judged(scaled, hasPassed) {
    await (hasPassed ? au.pass({ scaled }) : au.fail({ scaled }))
  },
  async terminate() {
    await au.terminate()
  },
  async isOver() {
    return client()
      .getState(stateKey())
      .then(() => false, wasRefused)
  },
}

startPlayer(recorder)
