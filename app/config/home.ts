import type { SiteKey } from './brands.ts'

export type PhaseKey = 'discover' | 'develop' | 'deliver'
type FilmKey = 'welcome' | PhaseKey

/** One of our films with the picture that shows before it plays; tools/films/home draws both. */
export type Film = { key: FilmKey; title: string; source: string; poster: string; captions: string; seconds: number }

/** One phase of the process: its steps and its film, drawn on the brand's background. */
export type ProcessPhase = {
  key: PhaseKey
  name: string
  description: string
  imageDescription: string
  steps: string[]
  film: Film
}

/** The home page of a brand. Only that page gets it, unlike the Brand, which every page carries. */
export type HomeContent = { title: string; lead: string; welcome: Film; phases: ProcessPhase[] }

type Titles = Record<FilmKey, string>

export const homes: Record<SiteKey, HomeContent> = {
  institutional: {
    title: 'From a question in the clinic to a medicine in use',
    lead: 'Courses, modules and videos on translational research and drug development. Take them in order, or take what you need today.',
    ...filmsOf('titrate', {
      welcome: 'Welcome to Titrate',
      discover: 'How a target is chosen',
      develop: 'From a hit to a candidate',
      deliver: 'The first volunteer, the last trial',
    }),
  },
  ns: {
    title: 'Carry your discovery toward the patients who need it',
    lead: 'Begin with the nervous system: the barrier, the biomarkers, the slow trials and the harms that no blood test shows. Then learn what happens between any first result and the first patient.',
    ...filmsOf('ns', {
      welcome: 'Welcome to Titrate NS',
      discover: 'Where a disease can be reached',
      develop: 'What a candidate has to prove',
      deliver: 'Three questions before a medicine',
    }),
  },
}

function filmsOf(palette: 'titrate' | 'ns', titles: Titles): Pick<HomeContent, 'welcome' | 'phases'> {
  const film = (key: FilmKey, seconds: number): Film => ({
    key,
    title: titles[key],
    source: `/films/${key}-${palette}.mp4`,
    poster: `/films/${key}-${palette}.webp`,
    captions: `/films/${key}.vtt`,
    seconds,
  })
  return {
    welcome: film('welcome', 17),
    phases: [
      {
        key: 'discover',
        name: 'Discover',
        description:
          'Start with a need that patients have and medicine does not meet. Find the biology behind it, prove that changing it changes the disease, then search for the first molecules that do.',
        imageDescription: 'A plate of wells after screening, with the one well that answered marked',
        steps: ['Clinical Need Assessment', 'Target ID & Validation', 'Screening'],
        film: film('discover', 18),
      },
      {
        key: 'develop',
        name: 'Develop',
        description:
          'Turn a promising molecule into something that could be given to a person: stronger, safer, stable, and tested in living systems before anyone volunteers.',
        imageDescription:
          'The level of a medicine in blood over one day, rising into the range where it works and falling again',
        steps: ['Optimization', 'Animal Studies', 'Preclinical Studies'],
        film: film('develop', 18),
      },
      {
        key: 'deliver',
        name: 'Deliver',
        description:
          'Design the trials, then ask three questions in turn. Is it safe? Does it work? Is it better for patients than what they have today?',
        imageDescription:
          'Patients without relapse over three years: the line of the new treatment stays above that of the best one today',
        steps: ['Clinical Trial Design', 'Phase 1', 'Phase 2', 'Phase 3'],
        film: film('deliver', 20),
      },
    ],
  }
}

const homeFilms = new Set(
  Object.values(homes).flatMap(({ welcome, phases }) =>
    [welcome, ...phases.map(({ film }) => film)].flatMap(({ source, poster, captions }) => [source, poster, captions]),
  ),
)

/** True for the files of the home pages' films, which are for everybody. */
export function isHomeFilm(address: string): boolean {
  return homeFilms.has(address)
}
