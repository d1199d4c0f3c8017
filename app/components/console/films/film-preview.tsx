import { useRef, useState } from 'react'
import { cueIndexAt } from '~/lib/cue-at.ts'
import { TextWithTerms } from '../../glossary/text-with-terms.tsx'
import { GuidingQuestions } from '../../lectures/guiding-questions.tsx'
import { FilmFacts } from '../../media/film-facts.tsx'
import { FilmPlayer } from '../../media/film-player.tsx'
import { Transcript } from '../../media/transcript.tsx'
import type { FilmHandle } from '../../media/use-film-tracking.ts'
import type { FilmPreviewView } from './view.ts'

type Props = {
  film: FilmPreviewView
  /** The level of the heading where the preview stands. */
  level?: 'h1' | 'h3'
}

/** A lecture or video as its page shows it, without neighbors and without anything that is tracked. */
export function FilmPreview({ film, level: Heading = 'h3' }: Props) {
  const [duration, setDuration] = useState(film.duration)
  const [line, setLine] = useState(-1)
  const player = useRef<FilmHandle | null>(null)
  const { lines } = film.transcript
  // A player does not know the length at first.
  const learn = (length: number) => length > 0 && setDuration(length)
  const phase = film.phase ? { 'data-phase': film.phase } : {}
  return (
    <div className="filmpage filmpage--preview" {...phase}>
      <div>
        <FilmPlayer
          src={film.src}
          isFile={film.isFile}
          tracks={film.tracks}
          handle={player}
          title={film.name}
          poster={film.poster}
          onPlay={(_, length) => learn(length)}
          onTime={(position, length) => {
            setLine(cueIndexAt(lines, position))
            learn(length)
          }}
        />
        {film.eyebrow && <p className="eyebrow mt-6">{film.eyebrow}</p>}
        <Heading className={`text-2xl ${film.eyebrow ? 'mt-1' : 'mt-6'}`}>{film.name || 'No name yet'}</Heading>
        <FilmFacts film={film} duration={duration} />
        <p className="lead mt-4">
          <TextWithTerms parts={film.description} />
        </p>
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
      <div className="side">
        {film.questions !== '' && <GuidingQuestions html={film.questions} />}
        <Transcript {...film.transcript} current={line} onJump={(seconds) => player.current?.seek(seconds)} />
      </div>
    </div>
  )
}
