import { type KeyboardEvent, type MouseEvent, useRef } from 'react'
import type { PhaseKey, ProcessPhase } from '~/config/home.ts'
import { useHydrated } from '../ui/form.tsx'
import { FilmPlayer } from './film-player.tsx'
import { nearestIndex } from './gestures.ts'
import { StepIcon } from './step-icons.tsx'
import { Vessel } from './vessel.tsx'
import { type Watch, WatchButton } from './watch-button.tsx'

type Props = {
  phases: ProcessPhase[]
  current: ProcessPhase
  onSelect: (key: PhaseKey) => void
  onWatch: Watch
  /** The film plays inside the panel, for pages without JavaScript. */
  isPlaying: boolean
}

/** Tabs, pipeline and panel show the same phase. Each button submits its phase, so that they work without scripts. */
export function Process(props: Props) {
  return (
    <section className="band band--surface" id="process" aria-labelledby="process-title">
      <div className="wrap">
        <header className="bandhead">
          <h2 id="process-title">The Drug Discovery and Development Process</h2>
          <p className="lead muted">
            The drug development process typically has three phases. Discover, Develop, Deliver. Click each tab to learn
            more.
          </p>
        </header>
        <form className="process" method="get" action="/home/#process">
          <Tabs {...props} />
          <Pipeline {...props} />
          <Panel {...props} />
        </form>
      </div>
    </section>
  )
}

function Tabs({ phases, current, onSelect }: Props) {
  const list = useRef<HTMLDivElement>(null)
  // Arrow keys reach the other tabs; without JavaScript the Tab key must.
  const isRoving = useHydrated()
  const move = (event: KeyboardEvent) => {
    const at = phases.indexOf(current)
    const last = phases.length - 1
    const targets: Record<string, number> = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    }
    const target = targets[event.key]
    const phase = target === undefined ? undefined : phases[target]
    if (!phase) return
    event.preventDefault()
    onSelect(phase.key)
    list.current?.querySelector<HTMLElement>(`[value="${phase.key}"]`)?.focus()
  }
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles do
    <div className="phasetabs" role={isRoving ? 'tablist' : 'group'} aria-label="Phases" ref={list}>
      {phases.map(({ key, name }) => (
        <button
          key={key}
          type="submit"
          name="phase"
          value={key}
          {...(isRoving
            ? { role: 'tab', 'aria-selected': key === current.key }
            : { 'aria-pressed': key === current.key })}
          id={`tab-${key}`}
          data-phase={key}
          aria-controls="phase-panel"
          tabIndex={isRoving && key !== current.key ? -1 : undefined}
          onKeyDown={move}
          onClick={(event) => {
            event.preventDefault()
            onSelect(key)
          }}
        >
          {name}
        </button>
      ))}
    </div>
  )
}

function Pipeline({ phases, current, onSelect }: Props) {
  const list = useRef<HTMLOListElement>(null)
  const steps = phases.flatMap((phase) => phase.steps.map((name) => ({ name, phase })))
  const select = (event: MouseEvent) => {
    event.preventDefault()
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])]
    const pressed = buttons.findIndex((button) => button.contains(event.target as Node))
    const centers = buttons.map((button) => {
      const { left, width } = button.getBoundingClientRect()
      return left + width / 2
    })
    const step = steps[pressed >= 0 ? pressed : nearestIndex(centers, event.clientX)]
    if (step) onSelect(step.phase.key)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the steps inside are buttons; this catches clicks beside them
    // biome-ignore lint/a11y/useKeyWithClickEvents: the steps inside are buttons
    <div className="pipeline" onClick={select}>
      <Vessel current={current.key} />
      <ol className="steps" ref={list} aria-label="The ten steps">
        {steps.map(({ name, phase }, index) => (
          <li key={name} data-phase={phase.key}>
            <button
              type="submit"
              name="phase"
              value={phase.key}
              className="step"
              aria-controls="phase-panel"
              aria-pressed={phase === current}
            >
              <span className="disc">
                <StepIcon step={index} />
              </span>
              <span className="name">{name.replace(' & ', '\u00a0& ')}</span>
            </button>
          </li>
        ))}
      </ol>
      <p className="ends">
        <span>Thousands of candidates</span>
        <span>One medicine</span>
      </p>
    </div>
  )
}

function Panel({ current, onWatch, isPlaying }: Props) {
  const { film } = current
  const isTab = useHydrated()
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles do
    <div
      className="phasepanel"
      id="phase-panel"
      role={isTab ? 'tabpanel' : 'group'}
      aria-labelledby={`tab-${current.key}`}
      data-phase={current.key}
    >
      <div>
        <h3>{current.name}</h3>
        <p className="desc">{current.description}</p>
        <ol className="steplist">
          {current.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <WatchButton film={film} label="Watch Video" className="btn" onWatch={onWatch} />
      </div>
      {isPlaying ? (
        <div className="film">
          <FilmPlayer film={film} />
        </div>
      ) : (
        <div className="poster">
          <img src={film.poster} alt={current.imageDescription} width="960" height="540" loading="lazy" />
          <WatchButton film={film} label={`Play: ${film.title}`} className="play" onWatch={onWatch} isIconOnly />
          <p className="cap">
            <span>{film.title}</span>
            <span className="num">{lengthOf(film.seconds)}</span>
          </p>
        </div>
      )}
    </div>
  )
}

function lengthOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
