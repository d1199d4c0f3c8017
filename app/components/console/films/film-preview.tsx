import { useState } from 'react'
import { GuidingQuestions } from '../../lectures/guiding-questions.tsx'
import { FilmFacts } from '../../media/film-facts.tsx'
import { FilmPlayer } from '../../media/film-player.tsx'
import type { FilmPreviewView } from './view.ts'

/** A lecture or video as its page shows it, without neighbors and without anything that is tracked. */
export function FilmPreview({ film }: { film: FilmPreviewView }) {
  const [duration, setDuration] = useState<number | null>(null)
  const phase = film.phase ? { 'data-phase': film.phase } : {}
  return (
    <div className="filmpage filmpage--preview" {...phase}>
      <div>
        <FilmPlayer
          src={film.src}
          title={film.name}
          poster={film.poster}
          onPlay={(_, length) => setDuration(length)}
          onTime={(_, length) => setDuration(length)}
        />
        {film.eyebrow && <p className="eyebrow mt-6">{film.eyebrow}</p>}
        <h3 className={film.eyebrow ? 'mt-1' : 'mt-6'}>{film.name || 'No name yet'}</h3>
        <FilmFacts film={film} duration={duration !== null && duration > 0 ? duration : null} />
        <p className="lead mt-4">{film.description}</p>
        {film.tags.length > 0 && (
          <ul className="tags" aria-label="Tags">
            {film.tags.map((tag) => (
              <li key={tag}>
                <span className="tag">{tag}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      {film.questions !== '' && (
        <div className="side">
          <GuidingQuestions html={film.questions} />
        </div>
      )}
    </div>
  )
}
