import { useNavigate, useRevalidator } from '@remix-run/react'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { notify } from '~/browser/notices.ts'
import { useLeavingMark } from './continuing.ts'
import { completedText, nextUnitOf, type ViewerLaunch } from './launch.ts'
import { leaveWindow, useOwnWindow } from './two-windows.ts'

/** `ended` means that the session was over when the page loaded, so the unit can only be launched again. */
type Stage = 'loading' | 'loaded' | 'finished' | 'survey' | 'ended'

export type Viewing = {
  stage: Stage
  /** Says whether the end has a menu. Without one the viewer closes by itself. */
  hasMenu: boolean
  isSessionClosed: boolean
  frame: RefObject<HTMLIFrameElement>
  showLoaded: () => void
  /** Says that the unit is in this other window now. Null if the page has no handle of it. */
  showOpened: (own: Window | null) => void
  leaveClosedSession: () => void
  /** Closes this window of ours if the viewer is behind it, or goes back. False if a link must lead away. */
  leave: () => boolean
  endSurvey: () => void
}

const betweenChecks = 300
const exitPatience = 3000

/**
 * Takes the viewer from loading to loaded to finished. It is finished when our exit page posts
 * 'Exited' in the frame, or when the unit's own window says so or is closed. Recording does not depend on it: the
 * statements of the unit are recorded anyway.
 */
export function useViewing(launch: ViewerLaunch): Viewing {
  const [stage, setStage] = useState<Stage>(launch.launchUrl && !launch.isFetched ? 'loading' : 'ended')
  const [isSessionClosed, setSessionClosed] = useState(false)
  const frame = useRef<HTMLIFrameElement>(null)
  const isLeaving = useRef(false)
  const patience = useRef<number>()
  const navigate = useNavigate()
  const { revalidate } = useRevalidator()
  const { from, isPreview, isInWindow, opening, nextModule, units, survey, isFromCourse, percent, module } = launch
  const [wasCompleted] = useState(launch.isCompleted)
  const hasMenu = nextModule !== null || nextUnitOf(units) !== null || isFromCourse

  // A navigation aborts the reload, which is not an error.
  const reload = useCallback(() => {
    Promise.resolve(revalidate()).catch(() => {})
  }, [revalidate])
  const back = useWayBack(from)
  const close = useCallback(() => back() || navigate(from, { replace: true }), [back, navigate, from])
  const showLoaded = useCallback(() => setStage((now) => (now === 'loading' ? 'loaded' : now)), [])
  const endViewing = useCallback(() => {
    setStage('finished')
    if (hasMenu) return
    // Only the page that it closes to can say it.
    if (percent === 100) notify({ kind: 'success', text: completedText(module.name) })
    close()
  }, [hasMenu, percent, module, close])

  const isClosed = useRef(false)
  const leave = useCallback(() => {
    isClosed.current = true
    return isInWindow && leaveWindow()
  }, [isInWindow])
  const leaveByLink = useCallback(() => leave() || back(), [leave, back])
  const finish = useCallback(() => {
    if (leave()) return
    if (isLeaving.current || isPreview) return close()
    const isAsked = survey !== null && !wasCompleted
    if (isAsked) setStage('survey')
    else endViewing()
    // Shows the new progress if the viewer stays open. If it closes, a reload would restart the navigation.
    if (isAsked || hasMenu) reload()
  }, [leave, isPreview, survey, wasCompleted, hasMenu, endViewing, close, reload])

  const isShown = stage === 'loading' || stage === 'loaded'
  useExitMessage(isShown, finish)
  useLeavingMark(launch.uid, isShown && opening === 'frame', isClosed)
  const own = useRef<Window | null>(null)
  const showOpened = (opened: Window | null) => {
    own.current = opened
    showLoaded()
  }
  useOwnWindow(own, isShown && opening === 'window', finish)
  // A window without a tie to this page cannot say that the learner left it, so the end of the session says it.
  const onEnded = opening === 'alone' ? finish : () => setSessionClosed(true)
  const check = useSessionCheck(launch, isShown && !isSessionClosed, onEnded)
  useContentMessage(frame, isShown, { SessionOver: check, UnitDone: reload })

  useEffect(() => {
    // The frame may have loaded before this script ran.
    if (stage === 'loading' && launch.launchUrl && performance.getEntriesByName(launch.launchUrl).length > 0)
      showLoaded()
  }, [stage, launch.launchUrl, showLoaded])

  // Leaving the page cancels the delayed close.
  useEffect(() => () => window.clearTimeout(patience.current), [])

  const leaveClosedSession = () => {
    setSessionClosed(false)
    isLeaving.current = true
    if (frame.current) frame.current.src = launch.exitPath
    else close()
    patience.current = window.setTimeout(close, exitPatience)
  }
  return {
    ...{ stage, hasMenu, isSessionClosed, frame, showLoaded, showOpened, leaveClosedSession },
    ...{ leave: leaveByLink, endSurvey: endViewing },
  }
}

type Entry = { index: number; key: string; url: string | null; sameDocument: boolean }
type Traversal = { committed: Promise<unknown>; finished: Promise<unknown> }
type NavigationApi = {
  currentEntry: Entry | null
  entries: () => Entry[]
  traverseTo: (key: string) => Traversal
}

/**
 * Returns how to go back to the page from which the viewer was opened, so that it appears where it was scrolled to.
 * Returns false where that is not the entry before this one in the history, or the browser does not say so.
 */
function useWayBack(from: string): () => boolean {
  return useCallback(() => {
    const { navigation } = window as { navigation?: NavigationApi }
    const before = navigation?.entries()[(navigation.currentEntry?.index ?? 0) - 1]
    // Another document would come back with its old progress.
    if (!navigation || !before?.url || !before.sameDocument) return false
    const { pathname, search } = new URL(before.url)
    if (pathname + search !== from) return false
    // One step back in the history could be a step of the content in its frame.
    const { committed, finished } = navigation.traverseTo(before.key)
    for (const step of [committed, finished]) step.catch(() => {})
    return true
  }, [from])
}

/** Listens for 'Exited', only from our own origin, because content must not end the viewing. */
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

/** Lets the content of the frame ask for a new check. The server decides, so the content cannot fake a state. */
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

/**
 * Asks the server whether the session has ended when the tab becomes visible, at most once per 300 ms. No answer means
 * no change.
 */
function useSessionCheck({ uid, opening }: ViewerLaunch, isOn: boolean, onEnded: () => void): () => void {
  const ended = useRef(onEnded)
  ended.current = onEnded
  const last = useRef(Number.NEGATIVE_INFINITY)
  const check = useCallback(async () => {
    if (document.visibilityState !== 'visible' || performance.now() - last.current < betweenChecks) return
    last.current = performance.now()
    try {
      const response = await fetch(`/viewer/${uid}/check/${opening === 'window' ? '?behind' : ''}`, {
        headers: { Accept: 'application/json' },
      })
      if (!response.ok) return
      const { status } = (await response.json()) as { status: boolean }
      if (!status) ended.current()
    } catch {
      // The browser is offline or a proxy answered. The next check happens when the tab becomes visible again.
    }
  }, [uid, opening])
  useEffect(() => {
    if (!isOn) return
    document.addEventListener('visibilitychange', check)
    return () => document.removeEventListener('visibilitychange', check)
  }, [isOn, check])
  return check
}
