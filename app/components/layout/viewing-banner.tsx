import { useEffect, useState } from 'react'
import { stopViewingPath, timeLeft } from '~/lib/viewing.ts'
import { CsrfField } from '../ui/form.tsx'

type Props = { name: string; secondsLeft: number; csrf: string | null }

/** At the bottom of every page, and always in sight, while an admin sees the site as somebody else. Without JavaScript it shows the time of loading. */
export function ViewingBanner({ name, secondsLeft, csrf }: Props) {
  const left = useCountdown(secondsLeft)
  return (
    <section
      className="notice sticky bottom-0 z-40 m-0 flex flex-wrap items-center gap-3 rounded-none"
      aria-label="View as"
    >
      <p className="grow wrap-anywhere">
        You are viewing as {name}. Nothing can be changed. <span className="tabular-nums">{timeLeft(left)}.</span>
      </p>
      <StopViewing csrf={csrf} className="btn btn--secondary" />
    </section>
  )
}

/** The browser itself posts the form: the next page is for another person, so nothing of this one may stay. */
export function StopViewing({ csrf, className }: { csrf: string | null | undefined; className: string }) {
  return (
    <form method="post" action={stopViewingPath}>
      <CsrfField token={csrf} />
      <button className={className} type="submit">
        Stop
      </button>
    </form>
  )
}

/** Counts down, and loads the page again when the time is over: it then is the admin's own. */
function useCountdown(secondsLeft: number): number {
  const [left, setLeft] = useState(secondsLeft)
  useEffect(() => {
    const end = Date.now() + secondsLeft * 1000
    const timer = setInterval(() => {
      const seconds = (end - Date.now()) / 1000
      setLeft(seconds)
      if (seconds <= -1) {
        clearInterval(timer)
        window.location.reload()
      }
    }, 1000)
    return () => clearInterval(timer)
  }, [secondsLeft])
  return left
}
