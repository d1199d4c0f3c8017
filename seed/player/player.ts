/**
 * The player of our demo units: pages, a quiz, a bookmark, progress and an end. Plain DOM; it runs on the content
 * origin.
 */
import { type Answer, type Bookmark, type Recorder, type Sent, type Session, wasRefused } from './recorder.ts'

const notRecorded = 'Your last step could not be recorded. Check your connection and go on.'
const againAfter = 5_000
const openedElsewhere = 'This module was opened in another window. What you do here is no longer recorded.'

export function startPlayer(recorder: Recorder): void {
  const pages = [...document.querySelectorAll<HTMLElement>('[data-page]')]
  const questions = [...document.querySelectorAll<HTMLFormElement>('form[data-question]')]
  const status = element('status')
  let isOver = false
  let isLeaving = false
  let hasFailed = false
  /** The status text while no step has failed. */
  let normalStatus = ''
  /** The steps that still have to be recorded, in order; none before the session has begun. */
  let stepsLeft = (): (() => Promise<void>)[] => []
  let onRecorded = () => {}
  let recording: Promise<void> | null = null
  let isAsked = false

  /**
   * Records the remaining steps one after the other, including those that are added in the meantime. Shows a failure
   * until everything is recorded.
   */
  function record(): Promise<void> {
    isAsked = true
    recording ??= recordAll().finally(() => {
      recording = null
    })
    return recording
  }

  async function recordAll(): Promise<void> {
    while (isAsked) {
      isAsked = false
      let isWhole = true
      for (const step of stepsLeft()) {
        if (isOver) return
        try {
          await step()
        } catch (error) {
          console.warn(error)
          if (wasRefused(error) && (await recorder.isOver().catch(() => false))) return endHere()
          isWhole = false
        }
      }
      hasFailed = !isWhole
      showStatus()
      // Steps that were added in the meantime must be recorded first.
      if (isWhole && !isAsked) onRecorded()
    }
  }

  function showStatus(): void {
    const sentence = hasFailed ? notRecorded : normalStatus
    if (!isOver && !isLeaving && status.textContent !== sentence) status.textContent = sentence
  }

  function retryRecording(): void {
    if (hasFailed && !isLeaving && !recording) void record()
  }

  /**
   * Ends the player after the session was closed elsewhere. Tells the viewer around us, which then asks the server
   * itself.
   */
  function endHere(): void {
    isOver = true
    status.textContent = openedElsewhere
    for (const control of document.querySelectorAll<HTMLInputElement | HTMLButtonElement>('form input, form button'))
      control.disabled = true
    notifyViewer('SessionOver')
  }

  keepFiguresReachable()
  recorder
    .start()
    .then((session) => run(session))
    .catch(() => {
      status.textContent = 'This unit was opened before. Close it and start it again from the module.'
    })

  function run(session: Session): void {
    const bookmark = {
      page: Math.min(session.bookmark.page ?? 0, pages.length - 1),
      seen: session.bookmark.seen ?? [],
      answers: session.bookmark.answers ?? {},
      secondTries: session.bookmark.secondTries ?? [],
    }
    const sent: Sent = session.bookmark.sent ?? { percent: 0, isCompleted: false, isJudged: false }
    if (session.mode === 'Normal' && sent.isJudged && sent.isPassed === false) beginTestAgain()
    // By question and try.
    const untold = new Map((session.bookmark.untold ?? []).map((given, index) => [`earlier ${index}`, given]))
    let kept = ''
    let isDoneTold = false
    let tellsWhatIsLeft = false
    stepsLeft = steps
    onRecorded = () => {
      if (isDoneTold || !isUnitDone()) return
      isDoneTold = true
      notifyViewer('UnitDone')
    }
    // The last page says how the test went, so the answers must be there before it is shown.
    for (const question of questions) restore(question, bookmark)
    document.body.dataset.ready = 'true'
    show(bookmark.page)
    window.addEventListener('online', retryRecording)
    // A browser may report that it is online too early, or not at all.
    setInterval(retryRecording, againAfter)

    element('back').addEventListener('click', () => show(bookmark.page - 1))
    element('next').addEventListener('click', goOn)
    element('exit').addEventListener('click', () => void end(session.returnUrl))
    for (const question of questions) {
      question.addEventListener('submit', (event) => {
        event.preventDefault()
        answer(question)
      })
    }

    /** A test that was failed in an earlier session can be taken again in this one. */
    function beginTestAgain(): void {
      bookmark.answers = {}
      bookmark.secondTries = []
      sent.isJudged = false
      bookmark.page = Math.max(
        0,
        pages.findIndex((page) => page.querySelector('form[data-question]')),
      )
      normalStatus = 'You have not passed the test yet. You can answer the questions again.'
    }

    function show(index: number): void {
      bookmark.page = Math.max(0, Math.min(index, pages.length - 1))
      pages.forEach((page, i) => {
        page.hidden = i !== bookmark.page
      })
      if (!bookmark.seen.includes(bookmark.page)) bookmark.seen.push(bookmark.page)
      ;(element('back') as HTMLButtonElement).disabled = bookmark.page === 0
      // On the last page it leads out of the unit, to what the viewer offers next.
      element('next').textContent = isLastPage() ? 'Finish' : 'Next'
      element('exit').hidden = isLastPage() && whatIsLeft() === null
      // What is left on another page cannot be seen from here.
      if (isLastPage()) tellsWhatIsLeft ||= (whatIsLeft()?.page ?? bookmark.page) !== bookmark.page
      element('place').textContent = `${bookmark.page + 1} of ${pages.length}`
      pages[bookmark.page]?.querySelector('h1')?.focus()
      report()
    }

    function isLastPage(): boolean {
      return bookmark.page === pages.length - 1
    }

    /** The next page or, on the last one, the way out: first to what is not done yet, otherwise as Save and exit. */
    function goOn(): void {
      const left = whatIsLeft()
      if (!isLastPage()) show(bookmark.page + 1)
      else if (left === null) void end(session.returnUrl)
      else {
        tellsWhatIsLeft = true
        show(left.page)
        left.question?.querySelector('input')?.focus()
        left.question?.scrollIntoView({ block: 'center' })
      }
    }

    /** What the unit still asks for, and where; null if nothing, and in the modes that do not count. */
    function whatIsLeft(): { sentence: string; page: number; question?: HTMLFormElement } | null {
      if (session.mode !== 'Normal' || isOver) return null
      const open = questions.filter((form) => !isAnswered(form))
      const [question] = open
      if (question) {
        // A question that can be tried once more is open, too.
        const sentence = open.length === 1 ? 'One question is still open.' : `${open.length} questions are still open.`
        return { sentence, question, page: pages.findIndex((page) => page.contains(question)) }
      }
      const unseen = pages.findIndex((_, index) => !bookmark.seen.includes(index))
      return unseen < 0 ? null : { sentence: 'You have not opened this page yet.', page: unseen }
    }

    function isAnswered(form: HTMLFormElement): boolean {
      return bookmark.answers[form.dataset.question ?? ''] !== undefined
    }

    function report(): void {
      if (tellsWhatIsLeft) {
        normalStatus = whatIsLeft()?.sentence ?? ''
        showStatus()
      }
      if (session.mode === 'Normal' && isUnitDone()) showEnd()
      void record()
    }

    /** The bookmark is saved last, with lists of what has been recorded and what has not. */
    function steps(): (() => Promise<void>)[] {
      const percent = percentDone(bookmark)
      const isDone = isUnitDone()
      const isCounted = session.mode === 'Normal'
      const now = () => ({ ...bookmark, sent: { ...sent }, untold: [...untold.values()] })
      const answers = [...untold].map(([key, given]) => async () => {
        await recorder.answered(given)
        untold.delete(key)
      })
      const progress = async () => {
        await recorder.progress(percent)
        sent.percent = percent
      }
      const completed = async () => {
        await recorder.completed().catch(throwUnlessAlreadySent)
        sent.isCompleted = true
      }
      const judged = async () => {
        const { scaled, hasPassed } = result()
        await recorder.judged(Math.round(scaled * 10_000) / 10_000, hasPassed).catch(throwUnlessAlreadySent)
        sent.isJudged = true
        sent.isPassed = hasPassed
      }
      const keep = async () => {
        const next = JSON.stringify(now())
        if (next === kept) return
        await recorder.saveBookmark(now())
        kept = next
      }
      return [
        ...answers,
        ...(isCounted && !isDone && percent > sent.percent ? [progress] : []),
        ...(isCounted && isDone && !sent.isCompleted ? [completed] : []),
        ...(isCounted && isDone && questions.length > 0 && !sent.isJudged ? [judged] : []),
        keep,
      ]
    }

    function answer(form: HTMLFormElement): void {
      const given = readAnswer(form)
      if (isOver) return
      if (given.chosen.length === 0) {
        feedback(form, 'Choose an answer first.')
        showFeedback(form)
        return
      }
      const isFirstTry = !bookmark.secondTries.includes(given.questionId)
      if (!given.isCorrect && isFirstTry && canTryAgain(form)) {
        bookmark.secondTries.push(given.questionId)
        feedback(form, 'Not quite. Try once more.')
      } else {
        bookmark.answers[given.questionId] = given.chosen
        explain(form, given.isCorrect)
      }
      untold.set(`${given.questionId} ${isFirstTry ? 1 : 2}`, given)
      report()
      showFeedback(form)
    }

    /** True when every page was seen and every question answered. */
    function isUnitDone(): boolean {
      return bookmark.seen.length >= pages.length && questions.every(isAnswered)
    }

    function result(): { scaled: number; hasPassed: boolean } {
      const scaled = questions.filter((form) => readAnswer(form).isCorrect).length / questions.length
      return { scaled, hasPassed: scaled >= (session.masteryScore ?? 0) }
    }

    function showEnd(): void {
      const { scaled, hasPassed } = questions.length > 0 ? result() : { scaled: 0, hasPassed: true }
      const score = questions.length > 0 ? ` Your score: ${Math.round(scaled * 100)}%.` : ''
      normalStatus = hasPassed
        ? `This unit is done.${score}${score && ' Passed.'}`
        : `All questions are answered.${score} Not passed yet: leave the unit and open it again for another try.`
      showStatus()
      element('exit').hidden = isLastPage()
    }
  }

  /**
   * A window that closed before it saved its bookmark may already have sent the statement. If the session is still
   * open, a refusal proves that.
   */
  async function throwUnlessAlreadySent(error: unknown): Promise<void> {
    if (!wasRefused(error) || (await recorder.isOver())) throw error
  }

  /** Pages that were seen and questions that were answered, of all of both. */
  function percentDone({ seen, answers }: Pick<Bookmark, 'seen' | 'answers'>): number {
    const done = seen.length + Object.keys(answers).length
    return Math.min(99, Math.floor((done / (pages.length + questions.length)) * 100))
  }

  async function end(returnUrl: string | null): Promise<void> {
    if (isLeaving) return
    isLeaving = true
    if (!isOver) status.textContent = 'Saving…'
    await recording
    await record()
    // Leaving now would lose unrecorded steps, and offline the next page would not load.
    if (!isOver && (hasFailed || !navigator.onLine)) {
      isLeaving = false
      hasFailed = true
      return showStatus()
    }
    if (!isOver) await recorder.terminate().catch((error) => console.warn(error))
    if (returnUrl) window.location.assign(returnUrl)
    else status.textContent = 'You can close this window now.'
  }
}

/** The viewer does not trust this message; it only makes the viewer check again. */
function notifyViewer(message: 'SessionOver' | 'UnitDone'): void {
  if (window.parent !== window) window.parent.postMessage(message, '*')
}

/** A figure that is wider than its page scrolls inside itself. It must be reachable by keyboard then, and only then. */
function keepFiguresReachable(): void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const isScrolling = target.scrollWidth > target.clientWidth
      for (const [name, value] of [
        ['tabindex', '0'],
        ['role', 'group'],
        ['aria-label', 'Figure, scrolls sideways'],
      ] as const) {
        if (isScrolling) target.setAttribute(name, value)
        else target.removeAttribute(name)
      }
    }
  })
  for (const figure of document.querySelectorAll('.figure')) observer.observe(figure)
}

function readAnswer(form: HTMLFormElement): Answer {
  const inputs = [...form.querySelectorAll<HTMLInputElement>('input')]
  const correct = (form.dataset.correct ?? '').split(',')
  const chosen = inputs.filter((input) => input.checked).map((input) => input.value)
  return {
    questionId: form.dataset.question ?? '',
    question: form.querySelector('legend')?.textContent ?? '',
    choices: inputs.map((input) => ({ id: input.value, text: input.nextElementSibling?.textContent?.trim() ?? '' })),
    correct,
    chosen,
    isCorrect: chosen.length === correct.length && correct.every((id) => chosen.includes(id)),
  }
}

/** A question with two choices has no second try: it would be answered by the first. */
function canTryAgain(form: HTMLFormElement): boolean {
  return form.querySelectorAll('input').length > 2
}

function restore(
  form: HTMLFormElement,
  { answers, secondTries = [] }: Pick<Bookmark, 'answers' | 'secondTries'>,
): void {
  const id = form.dataset.question ?? ''
  const chosen = answers[id]
  if (!chosen) {
    if (secondTries.includes(id)) feedback(form, 'Not quite. Try once more.')
    return
  }
  for (const input of form.querySelectorAll<HTMLInputElement>('input')) input.checked = chosen.includes(input.value)
  explain(form, readAnswer(form).isCorrect)
}

/** Ends a question: says why, and marks the right answer. */
function explain(form: HTMLFormElement, isCorrect: boolean): void {
  feedback(form, `${isCorrect ? 'Right.' : 'Not quite.'} ${form.dataset.explanation ?? ''}`)
  const correct = (form.dataset.correct ?? '').split(',')
  for (const input of form.querySelectorAll<HTMLInputElement>('input')) {
    const label = input.parentElement
    if (!correct.includes(input.value) || !label || label.querySelector('.right')) continue
    const mark = document.createElement('strong')
    mark.className = 'right'
    mark.textContent = 'Right answer'
    label.append(mark)
  }
  for (const control of form.querySelectorAll<HTMLInputElement | HTMLButtonElement>('input, button'))
    control.disabled = true
}

function feedback(form: HTMLFormElement, message: string): void {
  const output = form.querySelector('output')
  if (output) output.textContent = message
}

/** The bar at the bottom, and the status at the top, may cover what an answer adds to its question. */
function showFeedback(form: HTMLFormElement): void {
  form.querySelector('output')?.scrollIntoView({ block: 'nearest' })
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (!found) throw new Error(`#${id} is missing`)
  return found
}
