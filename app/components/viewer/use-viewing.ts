import { useNavigate, useRevalidator } from '@remix-run/react'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { nextUnitOf, type ViewerLaunch } from './launch.ts'

/** `ended`: there was nothing to load when this page came, only to start again. */
type Stage = 'loading' | 'loaded' | 'finished' | 'survey' | 'ended'

export type Viewing = {
  stage: Stage
  /** Whether there is a choice to make at the end; else the viewer closes by itself. */
  hasMenu: boolean
  isSessionClosed: boolean
  frame: RefObject<HTMLIFrameElement>
  showLoaded: () => void
  leaveClosedSession: () => void
  endSurvey: () => void
}

const betweenChecks = 300
const exitPatience = 3000

/**
 * From loading to loaded to finished. It is finished when our exit page says 'Exited': in the frame,
 * or in the window of a unit that opens its own. The record does not depend on it: that is written by what the unit sends.
 */
export function useViewing(launch: ViewerLaunch): Viewing {
  const [stage, setStage] = useState<Stage>(launch.launchUrl && !launch.isFetched ? 'loading' : 'ended')
  const [isSessionClosed, setSessionClosed] = useState(false)
  const frame = useRef<HTMLIFrameElement>(null)
  const isLeaving = useRef(false)
  const patience = useRef<number>()
  const navigate = useNavigate()
  const { revalidate } = useRevalidator()
  const { from, isPreview, nextModule, units, survey } = launch
  const [wasCompleted] = useState(launch.isCompleted)
  const hasMenu = nextModule !== null || nextUnitOf(units) !== null

  // Going elsewhere meanwhile cuts it off, of which nobody need hear.
  const loadAgain = useCallback(() => {
    Promise.resolve(revalidate()).catch(() => {})
  }, [revalidate])
  const close = useCallback(() => navigate(from, { replace: true }), [navigate, from])
  const showLoaded = useCallback(() => setStage((now) => (now === 'loading' ? 'loaded' : now)), [])
  const settle = useCallback(() => {
    setStage('finished')
    if (!hasMenu) close()
  }, [hasMenu, close])

  const finish = useCallback(() => {
    if (isLeaving.current || isPreview) return close()
    const isAsked = survey !== null && !wasCompleted
    if (isAsked) setStage('survey')
    else settle()
    // Who stays sees what is now recorded. Who leaves is already on the way, and loading again would start that anew.
    if (isAsked || hasMenu) loadAgain()
  }, [isPreview, survey, wasCompleted, hasMenu, settle, close, loadAgain])

  const isShown = stage === 'loading' || stage === 'loaded'
  useExitMessage(isShown, finish)
  const check = useSessionCheck(launch.uid, isShown && !isSessionClosed, () => setSessionClosed(true))
  useContentMessage(frame, isShown, { SessionOver: check, UnitDone: loadAgain })

  useEffect(() => {
    // The frame may have been there before this script was.
    if (stage === 'loading' && launch.launchUrl && performance.getEntriesByName(launch.launchUrl).length > 0)
      showLoaded()
  }, [stage, launch.launchUrl, showLoaded])

  // Who has gone elsewhere meanwhile is not called back.
  useEffect(() => () => window.clearTimeout(patience.current), [])

  const leaveClosedSession = () => {
    setSessionClosed(false)
    isLeaving.current = true
    if (frame.current) frame.current.src = launch.exitPath
    else close()
    patience.current = window.setTimeout(close, exitPatience)
  }
  return { stage, hasMenu, isSessionClosed, frame, showLoaded, leaveClosedSession, endSurvey: settle }
}

/** 'Exited' counts from our own origin only: content that says so is not believed. */
function useExitMessage(isOn: boolean, onExited: () => void): void {
  useEffect(() => {
    if (!isOn) return
    const onMessage = (event: MessageEvent) => {
      if (event.origin === window.location.origin && event.data === 'Exited') onExited()
    }
    window.addEventListener('message', onMessage)
    return () => window.removeEventListener('message', onMessage)
  }, [isOn, onExited])
}

type ContentMessage = 'SessionOver' | 'UnitDone'

/** Content may ask us to look again. It comes from the frame that we show, and what is true the server says. */
function useContentMessage(
  frame: RefObject<HTMLIFrameElement>,
  isOn: boolean,
  listeners: Record<ContentMessage, () => void>,
): void {
  const current = useRef(listeners)
  current.current = listeners
  useEffect(() => {
    if (!isOn) return
    const last: Record<string, number> = {}
    const onMessage = ({ source, data }: MessageEvent) => {
      if (!source || source !== frame.current?.contentWindow) return
      if (data !== 'SessionOver' && data !== 'UnitDone') return
      if (performance.now() - (last[data] ?? Number.NEGATIVE_INFINITY) < betweenChecks) return
      last[data] = performance.now()
      current.current[data as ContentMessage]()
    }
    window.addEventListener('message', onMessage)
    return () => window.removeEventListener('message', onMessage)
  }, [isOn, frame])
}

/** Asks when the tab becomes visible, at most once per 300 ms. Without an answer nothing is concluded. */
function useSessionCheck(uid: string, isOn: boolean, onEnded: () => void): () => void {
  const ended = useRef(onEnded)
  ended.current = onEnded
  const last = useRef(Number.NEGATIVE_INFINITY)
  const check = useCallback(async () => {
    if (document.visibilityState !== 'visible' || performance.now() - last.current < betweenChecks) return
    last.current = performance.now()
    try {
      const response = await fetch(`/viewer/${uid}/check/`, { headers: { Accept: 'application/json' } })
      if (!response.ok) return
      const { status } = (await response.json()) as { status: boolean }
      if (!status) ended.current()
    } catch {
      // Offline, or a proxy's page: the next time that the tab is shown we ask again.
    }
  }, [uid])
  useEffect(() => {
    if (!isOn) return
    document.addEventListener('visibilitychange', check)
    return () => document.removeEventListener('visibilitychange', check)
  }, [isOn, check])
  return check
}
