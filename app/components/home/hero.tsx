import type { HomeContent } from '~/config/home.ts'
import { useShell } from '../layout/shell.ts'
import { FilmPlayer } from './film-player.tsx'
import { HeroCurve } from './hero-curve.tsx'
import type { HomeBand } from './view.ts'
import { type Watch, WatchButton } from './watch-button.tsx'

type Props = { home: HomeContent; band: HomeBand | null; isPlaying: boolean; onWatch: Watch }

/**
 * The greeting and the welcome film. The play button is the drop on the curve. The hero is small if there is something
 * to continue or begin, so that the band below is visible without scrolling.
 */
export function Hero({ home, band, isPlaying, onWatch }: Props) {
  const { viewer } = useShell()
  const { welcome } = home
  const isSmall = band !== null
  return (
    <section className={isSmall ? 'hero hero--small on-deep' : 'hero on-deep'} aria-labelledby="welcome">
      <form className="wrap" method="get" action="/home/">
        <div className="words">
          <h1 id="welcome">
            <span className="hello">{viewer?.firstName ? `Welcome, ${viewer.firstName}` : 'Welcome'}</span> {home.title}
          </h1>
          {!isSmall && <p className="lead">{home.lead}</p>}
          <p className="acts">
            <WatchButton film={welcome} label="Watch Welcome Video" className="btn btn--deep" onWatch={onWatch} />
          </p>
        </div>
        {isPlaying ? (
          <div className="film">
            <FilmPlayer film={welcome} />
          </div>
        ) : (
          !isSmall && (
            <div className="art">
              <HeroCurve />
              <WatchButton
                film={welcome}
                label="Play the welcome video"
                className="play"
                onWatch={onWatch}
                isIconOnly
              />
            </div>
          )
        )}
      </form>
    </section>
  )
}
