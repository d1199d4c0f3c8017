import { useSearchParams } from '@remix-run/react'
import { useRef, useState } from 'react'
import { Loaded } from '~/browser/loaded.tsx'
import type { Film, HomeContent } from '~/config/home.ts'
import { ProgressLine } from '../ui/progress-line.tsx'
import { loadTracking } from './film-player.tsx'
import { FirstBand } from './first-band.tsx'
import { Further } from './further.tsx'
import { Hero } from './hero.tsx'
import { Process } from './process.tsx'
import type { HomeBand } from './view.ts'
import { Ways } from './ways.tsx'

/** Loads the tracking too, since a film that is closed before its tracking arrives would go unreported. */
const loadFilmDialog = () =>
  import('./film-dialog.tsx').then(async (module) => {
    await loadTracking()
    return module?.FilmDialog
  })

type Props = { home: HomeContent; band: HomeBand | null; hasLectures: boolean }

/** The home page: a greeting, what to go on with, the process of making a medicine, and the ways to learn. */
export function Home({ home, band, hasLectures }: Props) {
  const { phases } = home
  // Without JavaScript the address says which phase is shown, and which film plays inside the page.
  const [params] = useSearchParams()
  const [inlineFilm, setInlineFilm] = useState(params.get('watch'))
  const [selected, setSelected] = useState(params.get('phase') ?? inlineFilm)
  const [film, setFilm] = useState<Film | null>(null)
  const opener = useRef<HTMLElement | null>(null)
  const current = phases.find(({ key }) => key === selected) ?? phases[0]
  if (!current) return null

  const watch = (asked: Film, from: HTMLElement) => {
    opener.current = from
    setInlineFilm(null)
    setFilm(asked)
  }
  const select = (key: string) => {
    setInlineFilm(null)
    setSelected(key)
  }
  const next = film && film.key !== 'welcome' ? phases[phases.findIndex(({ key }) => key === film.key) + 1] : undefined
  const showNext =
    next &&
    (() => {
      setSelected(next.key)
      setFilm(next.film)
    })
  const close = () => {
    setFilm(null)
    opener.current?.focus()
  }
  return (
    <>
      <Hero home={home} band={band} isPlaying={inlineFilm === 'welcome'} onWatch={watch} />
      {band && <FirstBand band={band} />}
      <Process
        phases={phases}
        current={current}
        onSelect={select}
        onWatch={watch}
        isPlaying={inlineFilm === current.key}
      />
      <Ways />
      {hasLectures && <Further />}
      {film && (
        <Loaded
          load={loadFilmDialog}
          props={{ film, onNext: showNext ?? null, onClose: close }}
          onMissing={close}
          waiting={<ProgressLine />}
        />
      )}
    </>
  )
}
