/** The player of our demo units: pages, a quiz, a bookmark, progress, and an end. Plain DOM; it runs on the content origin. */
import type { Answer, Bookmark, Recorder, Session } from './recorder.ts'

export function startPlayer(recorder: Recorder): void {
  const pages = [...document.querySelectorAll<HTMLElement>('[data-page]')]
  const status = element('status')
  let work = Promise.resolve()
  let isOver = false

  /** One after the other, in the order of what the learner did; a failure is said, and the next one is tried all the same. */
  const record = (step: () => Promise<void>) => {
    work = work.then(step).catch((error: unknown) => {
      status.textContent = 'Your last step could not be recorded. Check your connection and go on.'
      console.warn(error)
    })
    return work
  }

  keepFiguresReachable()
  recorder
    .start()
    .then((session) => run(session))
    .catch(() => {
      status.textContent = 'This unit was opened before. Close it and start it again from the module.'
    })

  function run(session: Session): void {
    const bookmark: Bookmark = {
      page: Math.min(session.bookmark.page ?? 0, pages.length - 1),
      seen: session.bookmark.seen ?? [],
      answers: session.bookmark.answers ?? {},
    }
    const reported = { percent: percentSeen(bookmark), isDone: false }
    document.body.dataset.ready = 'true'
    show(bookmark.page)

    element('back').addEventListener('click', () => show(bookmark.page - 1))
    element('next').addEventListener('click', () => show(bookmark.page + 1))
    element('exit').addEventListener('click', () => void end(session.returnUrl))
    for (const question of document.querySelectorAll<HTMLFormElement>('form[data-question]')) {
      restore(question, bookmark.answers[question.dataset.question ?? ''])
      question.addEventListener('submit', (event) => {
        event.preventDefault()
        answer(question)
      })
    }

    function show(index: number): void {
      bookmark.page = Math.max(0, Math.min(index, pages.length - 1))
      pages.forEach((page, i) => {
        page.hidden = i !== bookmark.page
      })
      if (!bookmark.seen.includes(bookmark.page)) bookmark.seen.push(bookmark.page)
      ;(element('back') as HTMLButtonElement).disabled = bookmark.page === 0
      ;(element('next') as HTMLButtonElement).disabled = bookmark.page === pages.length - 1
      element('place').textContent = `Page ${bookmark.page + 1} of ${pages.length}`
      pages[bookmark.page]?.querySelector('h1')?.focus()
      void record(() => recorder.saveBookmark(bookmark))
      report()
    }

    function report(): void {
      if (session.mode !== 'Normal') return
      const percent = percentSeen(bookmark)
      if (percent > reported.percent) {
        reported.percent = percent
        void record(() => recorder.progress(percent))
      }
      finish()
    }

    function answer(form: HTMLFormElement): void {
      const given = readAnswer(form)
      if (given.chosen.length === 0) {
        feedback(form, 'Choose an answer first.')
        return
      }
      bookmark.answers[given.questionId] = given.chosen
      explain(form, given.isCorrect)
      void record(() => recorder.answered(given))
      void record(() => recorder.saveBookmark(bookmark))
      report()
    }

    /** Done when every page was seen and every question answered. */
    function finish(): void {
      const questions = [...document.querySelectorAll<HTMLFormElement>('form[data-question]')].map(readAnswer)
      const answered = questions.filter((question) => bookmark.answers[question.questionId] !== undefined)
      if (reported.isDone || bookmark.seen.length < pages.length || answered.length < questions.length) return
      reported.isDone = true
      void record(() => recorder.completed())
      if (questions.length === 0) return
      const scaled = questions.filter((question) => question.isCorrect).length / questions.length
      const hasPassed = scaled >= (session.masteryScore ?? 0)
      void record(() => recorder.judged(Math.round(scaled * 10_000) / 10_000, hasPassed))
      status.textContent = `Your score: ${Math.round(scaled * 100)} %. ${hasPassed ? 'Passed.' : 'Not passed yet: you can take the module again.'}`
    }
  }

  function percentSeen(bookmark: Bookmark): number {
    return Math.min(99, Math.floor((bookmark.seen.length / pages.length) * 100))
  }

  async function end(returnUrl: string | null): Promise<void> {
    if (isOver) return
    isOver = true
    status.textContent = 'Saving…'
    await record(() => recorder.terminate())
    if (returnUrl) window.location.assign(returnUrl)
    else status.textContent = 'You can close this window now.'
  }
}

/** A figure that is wider than its page scrolls in itself: keys must reach it then, and only then. */
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
    choices: inputs.map((input) => ({ id: input.value, text: input.parentElement?.textContent?.trim() ?? '' })),
    correct,
    chosen,
    isCorrect: chosen.length === correct.length && correct.every((id) => chosen.includes(id)),
  }
}

function restore(form: HTMLFormElement, chosen: string[] | undefined): void {
  if (!chosen) return
  for (const input of form.querySelectorAll<HTMLInputElement>('input')) input.checked = chosen.includes(input.value)
  explain(form, readAnswer(form).isCorrect)
}

function explain(form: HTMLFormElement, isCorrect: boolean): void {
  feedback(form, `${isCorrect ? 'Right.' : 'Not quite.'} ${form.dataset.explanation ?? ''}`)
  for (const control of form.querySelectorAll<HTMLInputElement | HTMLButtonElement>('input, button'))
    control.disabled = true
}

function feedback(form: HTMLFormElement, message: string): void {
  const output = form.querySelector('output')
  if (output) output.textContent = message
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (!found) throw new Error(`#${id} is missing`)
  return found
}
