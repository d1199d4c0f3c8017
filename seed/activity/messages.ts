/** Messages of the past year to everybody who was there at the time. What the demo learner finds on the first day is in announcements.ts. */
export type YearMessage = {
  slug: string
  daysAgo: number
  subject: string
  text: (to: (path: string) => string) => string
  /** How likely somebody opens it and, having opened it, follows its link. */
  opened: number
  clicked: number
}

export const yearMessages: YearMessage[] = [
  {
    slug: 'glossary',
    daysAgo: 328,
    subject: 'A glossary in plain sentences',
    text: (to) =>
      `The terms of the field now have a page of their own, each explained in a sentence or two. [Open the glossary](${to('/glossary/')}), or search for a word from any page.`,
    opened: 0.8,
    clicked: 0.5,
  },
  {
    slug: 'lectures',
    daysAgo: 281,
    subject: 'Eight short lectures',
    text: (to) =>
      `Eight short silent animations follow the process from the need of a patient to the years after approval. Each has captions, a transcript and guiding questions. [Watch a lecture](${to('/lectures/')}).`,
    opened: 0.74,
    clicked: 0.55,
  },
  {
    slug: 'survey-spring',
    daysAgo: 233,
    subject: 'What should we write next?',
    text: (to) =>
      `We plan the modules of the coming months. Tell us which step of the process you would like to know more about: [write to us](${to('/contact-us/')}). Every answer is read.`,
    opened: 0.58,
    clicked: 0.2,
  },
  {
    slug: 'trial-design',
    daysAgo: 184,
    subject: 'New course: Designing Trials That Answer',
    text: (to) =>
      `Endpoints, estimands, chance and secrecy: what has to be settled before the first patient is asked. [Look at all courses](${to('/courses/')}).`,
    opened: 0.71,
    clicked: 0.48,
  },
  {
    slug: 'case-studies',
    daysAgo: 139,
    subject: 'Four case studies in the video library',
    text: (to) =>
      `A dose too low, an interim look, a signal that held, and a formulation that saved a compound. [Open the videos](${to('/videos/')}).`,
    opened: 0.66,
    clicked: 0.42,
  },
  {
    slug: 'reading-list',
    daysAgo: 88,
    subject: 'Three modules for a quiet afternoon',
    text: (to) =>
      `If you have an hour to spare: *Listening to Patients*, *Reading a Dose-Response Curve* and *Randomization and Blinding* stand on their own. [Find them among the modules](${to('/modules/')}).`,
    opened: 0.62,
    clicked: 0.37,
  },
  {
    slug: 'office-hours',
    daysAgo: 36,
    subject: 'Office hours with our instructors',
    text: (to) =>
      `Our instructors answer questions about the modules on the first Tuesday of each month, from 15:00 to 16:00 UTC. [Write to us](${to('/contact-us/')}) for an invitation.`,
    opened: 0.69,
    clicked: 0.31,
  },
]
