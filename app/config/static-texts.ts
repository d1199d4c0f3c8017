import type { SiteKey } from './brands.ts'

/** Follows "Your access ended on …" and is followed by the address of the site. */
export const accessEndedAdvice =
  'What you started and completed is kept in My Learning. To open it again, ask the person who invited you, or write to'

/** A brand's text on About Us. Only that page gets it. */
export type AboutText = { lead: string; paragraphs: string[] }

export const aboutTexts: Record<SiteKey, AboutText> = {
  institutional: {
    lead: 'Titrate teaches how a finding becomes a medicine, to the people who make the findings.',
    paragraphs: [
      'Most discoveries that could help patients never leave the laboratory. Often nothing is wrong with the science: the people who did it were never shown what happens next, which question the next team will ask, and what an answer to it costs. Titrate shows it.',
      'Each module takes one topic, explains it in plain words and figures, and lets you check yourself. Courses put modules in the order in which a project team meets the questions; videos and lectures are silent, captioned animations that show one idea at a time.',
      'Institutions use Titrate for their researchers, clinicians and students. Your institution sees what you have completed and how you scored, so that it can support you.',
    ],
  },
  ns: {
    lead: 'Titrate NS teaches drug development to teams who work on the nervous system.',
    paragraphs: [
      'The nervous system is one of the places where medicines fail most often, and one of those where they are needed most. The barrier is not only the one between blood and brain: it is the distance between a good result in a model and a result that a patient can feel. Titrate NS is about that distance.',
      'Four modules and a course of our own are about medicines for the nervous system: how a compound crosses into the brain, how exposure is shown where nobody can take a sample, how a trial measures what changes slowly, and which harms no blood test shows. The other modules and courses follow the line of all drug development, from target to trial.',
      'Titrate NS is open to the teams of the network and to their partners. Recommendations come from your program; what you take beyond them is up to you.',
    ],
  },
}
