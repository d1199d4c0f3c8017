import { Link } from '@remix-run/react'
import { type MouseEvent, type RefObject, type TouchEvent, useRef, useState } from 'react'
import { useHydrated } from '../ui/form.tsx'
import { nearestIndex, swipeTarget } from './gestures.ts'
import { Picture } from './picture.tsx'

const ways = [
  {
    title: 'Courses',
    to: '/courses/',
    picture: 'courses',
    description: 'A sequence of modules with one goal. Best when you want the whole picture.',
  },
  {
    title: 'Modules',
    to: '/modules/',
    picture: 'modules',
    description: 'One topic at a time, in text and figures. Best when you have a question.',
  },
  {
    title: 'Videos',
    to: '/videos/',
    picture: 'videos',
    description: 'Short silent animations with captions. Best for a first look, or a second one.',
  },
] as const
const idOf = (title: string) => `way-${title.toLowerCase()}`

/** Three cards. In narrow windows they form a carousel, which scrolls, and which dots and swipes control. */
export function Ways() {
  const list = useRef<HTMLUListElement>(null)
  const { shown, goTo, follow, handlers } = useCarousel(list)
  const isLed = useHydrated()
  const choose = (event: MouseEvent, index: number) => {
    event.preventDefault()
    goTo(index)
  }
  return (
    <section className="band" aria-labelledby="ways-title">
      <div className="wrap">
        <header className="bandhead">
          <h2 id="ways-title">Your Learning, Your Way</h2>
        </header>
        <ul className={isLed ? 'waylist is-led' : 'waylist'} ref={list} onScroll={follow} {...handlers}>
          {ways.map(({ title, to, picture, description }) => (
            <li key={title} id={idOf(title)} className="way">
              <Picture name={picture} width={400} height={210} />
              <div className="body">
                <h3>{title}</h3>
                <p>{description}</p>
                <Link className="btn btn--secondary" to={to}>
                  Go to {title}
                </Link>
              </div>
            </li>
          ))}
        </ul>
        <ul className="dots" aria-label="Cards">
          {ways.map(({ title }, index) => (
            <li key={title}>
              <a
                href={`#${idOf(title)}`}
                aria-current={index === shown ? 'true' : undefined}
                onClick={(event) => choose(event, index)}
              >
                <span className="sr-only">{`Card ${index + 1} of ${ways.length}: ${title}`}</span>
              </a>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

type Touch = { x: number; y: number; scrolled: number; index: number; isSwipe: boolean }

/** Makes the list follow the finger, and scrolls to the swiped card when the finger lifts. */
function useCarousel(list: RefObject<HTMLUListElement>) {
  const [shown, setShown] = useState(0)
  const touch = useRef<Touch | null>(null)
  const starts = () => {
    const cards = [...(list.current?.children ?? [])] as HTMLElement[]
    const first = cards[0]?.offsetLeft ?? 0
    return cards.map((card) => card.offsetLeft - first)
  }
  const follow = () => {
    const { scrollLeft = 0, scrollWidth = 0, clientWidth = 0 } = list.current ?? {}
    const all = starts()
    setShown(scrollLeft >= scrollWidth - clientWidth - 2 ? all.length - 1 : nearestIndex(all, scrollLeft))
  }
  const goTo = (index: number) => {
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
    list.current?.scrollTo({ left: starts()[index] ?? 0, behavior: isCalm ? 'auto' : 'smooth' })
  }
  const handlers = {
    onTouchStart: ({ touches }: TouchEvent) => {
      const finger = touches[0]
      if (!finger || !list.current) return
      const { clientX: x, clientY: y } = finger
      touch.current = { x, y, scrolled: list.current.scrollLeft, index: shown, isSwipe: false }
    },
    onTouchMove: ({ touches }: TouchEvent) => {
      const finger = touches[0]
      const start = touch.current
      if (!start || !finger || !list.current) return
      const moved = finger.clientX - start.x
      if (!start.isSwipe && Math.abs(moved) <= Math.abs(finger.clientY - start.y)) return
      start.isSwipe = true
      list.current.classList.add('is-held')
      list.current.scrollLeft = start.scrolled - moved
    },
    onTouchEnd: ({ changedTouches }: TouchEvent) => {
      const finger = changedTouches[0]
      const start = touch.current
      touch.current = null
      if (!start?.isSwipe || !finger) return
      goTo(swipeTarget(finger.clientX - start.x, start.index, ways.length))
      release()
    },
    onTouchCancel: () => {
      if (touch.current?.isSwipe) goTo(touch.current.index)
      touch.current = null
      release()
    },
  }
  // Snapping must stay off for a moment, or the list jumps to the nearest card instead of gliding to the chosen one.
  const release = () => {
    setTimeout(() => list.current?.classList.remove('is-held'), 600)
  }
  return { shown, goTo, follow, handlers }
}
