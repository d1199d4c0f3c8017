import { Suspense } from 'react'
import { lazyPart } from '~/browser/loaded.tsx'
import type { Film } from '~/config/home.ts'

const FilmPlayer = lazyPart(() => import('./film-player.tsx').then((module) => module?.FilmPlayer))

/** Plays a film inside the page, for people without JavaScript. With JavaScript films play in a dialog. */
export function InlineFilm({ film }: { film: Film }) {
  return (
    <div className="film">
      <Suspense>
        <FilmPlayer film={film} />
      </Suspense>
    </div>
  )
}
