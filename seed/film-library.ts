/**
 * The texts of the demo's lectures and videos. tools/films/library draws their films with the same times, so that the
 * captions match the pictures. The films are silent animations without a presenter: nobody is named who is neither
 * seen nor heard. Each transcript says at its start that there is no sound.
 */
export type Cue = { from: number; to: number; text: string }

export type DemoFilm = {
  slug: string
  name: string
  description: string
  phases: ('Discover' | 'Develop' | 'Deliver')[]
  tags: string[]
  /** The name of its cover drawing, and a description of it. */
  motif: string
  cover: string
  /** The captions: the second at which each line begins, and the line. */
  lines: [from: number, text: string][]
  seconds: number
}

type DemoLecture = DemoFilm & { chapter: string; questions: string; isComingSoon?: boolean }
type DemoVideo = DemoFilm & { category: 'expert' | 'case_study' | 'animation' }

/** Each line stays until the next one. */
export function cuesOf({ lines, seconds }: Pick<DemoFilm, 'lines' | 'seconds'>): Cue[] {
  return lines.map(([from, text], index) => ({ from, to: (lines[index + 1]?.[0] ?? seconds) - 0.05, text }))
}

export const lectures: DemoLecture[] = [
  {
    slug: 'what-patients-lack',
    name: 'What Patients Lack: Reading an Unmet Need',
    description:
      'An unmet need is a measured gap, not a feeling. The lecture weighs burden, care and what patients ask for, and shows where the gap is widest.',
    phases: ['Discover'],
    chapter: 'Clinical Need Assessment',
    tags: ['Unmet need', 'Epidemiology'],
    motif: 'rings',
    cover: 'Rings that spread from a single point',
    questions:
      '1. Who is **counted** as a patient in your field, and who is missing from the count?\n2. Which part of the burden does today’s care leave untouched?\n3. How would you tell that a need has been met?',
    lines: [
      [0, '[No sound.] Four conditions, each with its burden.'],
      [4, 'The bar is what the disease costs people.'],
      [8, 'The dark part is what today’s care takes away.'],
      [12, 'What remains is the gap: widest in the third.'],
      [16, 'A need is where the gap is wide and a cause is known.'],
    ],
    seconds: 20,
  },
  {
    slug: 'evidence-from-human-genetics',
    name: 'Evidence from Human Genetics',
    description:
      'Some people carry by birth the change that a medicine would make. What their health says about a target, and what it cannot say.',
    phases: ['Discover'],
    chapter: 'Target ID & Validation',
    tags: ['Target validation', 'Genetics'],
    motif: 'helix',
    cover: 'Two strands that wind about each other',
    questions:
      '1. Which of your targets has carriers whose health is **known**?\n2. What would a loss of function over a lifetime miss?\n3. When does an association deserve a program?',
    lines: [
      [0, '[No sound.] Each row is a variant of one gene.'],
      [4, 'Left of the line the disease is rarer, right of it more frequent.'],
      [8, 'Variants that switch the gene off all lie to the left.'],
      [12, 'The weaker variant lies between: a dose response made by nature.'],
      [16, 'Together they say: block this protein.'],
    ],
    seconds: 20,
  },
  {
    slug: 'screens-that-can-be-believed',
    name: 'Screens That Can Be Believed',
    description:
      'How a screen of many thousands of wells becomes a short list that deserves chemistry: controls, thresholds, and the second look.',
    phases: ['Discover'],
    chapter: 'Screening',
    tags: ['Assay', 'Screening'],
    motif: 'plate',
    cover: 'Rows of wells of different depth, one of them marked',
    questions:
      '1. What separates your controls, in *standard deviations*?\n2. Which false hits does your read-out invite?\n3. What must a hit survive before a chemist sees it?',
    lines: [
      [0, '[No sound.] A plate: each circle is one compound.'],
      [4, 'First the controls, left without and right with effect.'],
      [8, 'Then the signal of all wells comes in.'],
      [12, 'Some pass the threshold by chance.'],
      [16, 'Measured again, one of them stays: a hit.'],
    ],
    seconds: 20,
  },
  {
    slug: 'from-hit-to-candidate',
    name: 'From Hit to Candidate: Many Properties at Once',
    description:
      'Optimization never improves one property alone. Potency, solubility and clearance are followed over one series until all of them are good enough.',
    phases: ['Develop'],
    chapter: 'Optimization',
    tags: ['Medicinal chemistry', 'ADME'],
    motif: 'lattice',
    cover: 'A lattice of hexagons with a few bonds drawn strong',
    questions:
      '1. Which property **stops** your series today?\n2. What did the last gain in potency cost?\n3. Which measure would you give up first?',
    lines: [
      [0, '[No sound.] Rounds of synthesis to the right.'],
      [4, 'Potency rises with almost every round.'],
      [8, 'Solubility falls, until the team attends to it.'],
      [12, 'The candidate is where both lie above their line.'],
    ],
    seconds: 17,
  },
  {
    slug: 'what-animals-can-tell',
    name: 'What Animals Can and Cannot Tell',
    description:
      'A model answers the question it was made for. The lecture sorts models by what they share with patients and asks what the rest may hide.',
    phases: ['Develop'],
    chapter: 'Animal Studies',
    tags: ['Animal models', 'Translation'],
    motif: 'cells',
    cover: 'Cells side by side, one of them marked',
    questions:
      '1. What does your model *share* with the disease in people?\n2. Was the study blinded and randomized?\n3. Which result would have stopped you?',
    lines: [
      [0, '[No sound.] What a model shares with patients.'],
      [4, 'The same target is found in most of them.'],
      [8, 'The same mechanism in fewer.'],
      [12, 'The same course of disease in hardly any.'],
      [16, 'So ask of each model only what it shares.'],
    ],
    seconds: 20,
  },
  {
    slug: 'setting-the-first-dose',
    name: 'Setting the First Dose in People',
    description:
      'From the dose without harm in animals to the dose for the first volunteer: exposure, margin and the reasons to start lower still.',
    phases: ['Develop', 'Deliver'],
    chapter: 'Preclinical Studies',
    tags: ['Toxicology', 'First in human'],
    motif: 'curves',
    cover: 'A family of S-shaped curves, one of them strong',
    questions:
      '1. Which species is the most sensitive, and does it matter for people?\n2. Where does your margin come from: **dose** or **exposure**?\n3. What would you watch in the first hour?',
    lines: [
      [0, '[No sound.] Exposure to the right, response upwards.'],
      [4, 'The wanted effect begins early.'],
      [8, 'Harm begins later, at ten times the exposure.'],
      [12, 'The gap between them is the margin.'],
      [16, 'The first dose stands well to the left of both.'],
    ],
    seconds: 20,
  },
  {
    slug: 'a-trial-that-answers',
    name: 'A Trial That Answers Its Question',
    description:
      'Question, people, comparison, endpoint: four decisions that are made before the first patient, and that no analysis can repair afterwards.',
    phases: ['Deliver'],
    chapter: 'Clinical Trial Design',
    tags: ['Trial design', 'Endpoints'],
    motif: 'peaks',
    cover: 'Peaks of different height over a straight line',
    questions:
      '1. Write your question as **one** sentence with a number in it.\n2. What happens to those who stop treatment?\n3. Which result would change practice?',
    lines: [
      [0, '[No sound.] One question at the beginning.'],
      [4, 'Chance divides the patients into two groups.'],
      [8, 'Both are followed in the same way.'],
      [12, 'Nobody knows who has what until the end.'],
      [16, 'Then one endpoint answers.'],
    ],
    seconds: 20,
  },
  {
    slug: 'after-the-approval',
    name: 'After the Approval: Learning from Everyday Care',
    description:
      'A trial with a few thousand people cannot show what happens to one person in ten thousand. How signals are found in everyday care, and what is done with them.',
    phases: ['Deliver'],
    chapter: 'Phase 3',
    tags: ['Pharmacovigilance', 'Safety'],
    motif: 'bands',
    cover: 'Bands of different strength in eight lanes',
    questions:
      '1. How many people must be watched to see what happens to one in 10,000?\n2. What makes a report a *signal*?\n3. Who decides what the leaflet says?',
    isComingSoon: true,
    lines: [
      [0, '[No sound.] People who took the medicine, year by year.'],
      [4, 'In the trials there were a few thousand.'],
      [8, 'In the first years of care a hundred times as many.'],
      [12, 'Only there can a rare harm be seen.'],
    ],
    seconds: 16,
  },
]

export const videos: DemoVideo[] = [
  {
    slug: 'why-half-lives-matter',
    name: 'Why Half-Lives Matter',
    category: 'animation',
    description:
      'Each half-life leaves half of what was there. After five of them almost nothing remains, whatever the dose was.',
    phases: ['Develop'],
    tags: ['Pharmacokinetics'],
    motif: 'curves',
    cover: 'A family of S-shaped curves, one of them strong',
    lines: [
      [0, '[No sound.] Concentration over time after one dose.'],
      [3.5, 'After one half-life, half is left.'],
      [6.5, 'After two a quarter, after three an eighth.'],
      [10, 'Twice the dose buys one half-life more, no longer.'],
    ],
    seconds: 14,
  },
  {
    slug: 'reaching-steady-state',
    name: 'Reaching Steady State',
    category: 'animation',
    description: 'One tablet a day adds up, until each day takes away as much as the tablet brings.',
    phases: ['Develop', 'Deliver'],
    tags: ['Pharmacokinetics'],
    motif: 'peaks',
    cover: 'Peaks of different height over a straight line',
    lines: [
      [0, '[No sound.] One tablet each day.'],
      [3, 'The second comes before the first is gone.'],
      [6.5, 'The level climbs, less with every day.'],
      [10, 'After about five half-lives it climbs no more.'],
    ],
    seconds: 14,
  },
  {
    slug: 'how-an-antibody-finds-its-target',
    name: 'How an Antibody Finds Its Target',
    category: 'animation',
    description: 'Binding is a balance of coming and going. What affinity means, drawn with one curve.',
    phases: ['Discover'],
    tags: ['Antibodies', 'Binding'],
    motif: 'rings',
    cover: 'Rings that spread from a single point',
    lines: [
      [0, '[No sound.] Antibody to the right, bound targets upwards.'],
      [3.5, 'At first each step binds many more.'],
      [6.5, 'Half is bound at the constant KD.'],
      [10, 'A stronger antibody needs less for the same half.'],
    ],
    seconds: 14,
  },
  {
    slug: 'phases-of-a-programme',
    name: 'Twelve Years on One Line',
    category: 'animation',
    description: 'The whole way from idea to approval on one line of time, with what usually runs beside what.',
    phases: ['Discover', 'Develop', 'Deliver'],
    tags: ['Process'],
    motif: 'bands',
    cover: 'Bands of different strength in eight lanes',
    lines: [
      [0, '[No sound.] Twelve years from left to right.'],
      [3, 'Discovery takes the first three or four.'],
      [6, 'Development to the first volunteer takes two.'],
      [9, 'Three phases in people take the longest.'],
      [12.5, 'Manufacturing runs beside all of it.'],
    ],
    seconds: 16,
  },
  {
    slug: 'attrition-in-numbers',
    name: 'Attrition in Numbers',
    category: 'animation',
    description: 'Of many compounds one becomes a medicine. Where the others are lost, step by step.',
    phases: ['Discover', 'Develop', 'Deliver'],
    tags: ['Process'],
    motif: 'plate',
    cover: 'Rows of wells of different depth, one of them marked',
    lines: [
      [0, '[No sound.] Each circle stands for a compound.'],
      [3, 'Most fall in the screen.'],
      [6, 'Of the rest, most fall before people.'],
      [9, 'Of ten in the clinic, about nine fall.'],
      [12, 'One is left.'],
    ],
    seconds: 15,
  },
  {
    slug: 'an-expert-on-biomarkers',
    name: 'Expert Advice on Biomarkers: What Moves First',
    category: 'expert',
    description:
      'Some markers move weeks before the patient feels anything. What those weeks are worth, in one drawing.',
    phases: ['Develop', 'Deliver'],
    tags: ['Biomarkers'],
    motif: 'rings',
    cover: 'Rings that spread from a single point',
    lines: [
      [0, '[No sound.] Look for what moves first.'],
      [4, 'Here the marker falls within two weeks.'],
      [8, 'What the patient feels follows after two months.'],
      [12, 'Between the two lies the time that can be saved.'],
    ],
    seconds: 16,
  },
  {
    slug: 'an-expert-on-stopping',
    name: 'Expert Advice on Stopping: The Cheapest No',
    category: 'expert',
    description: 'Why a clear no in the second year is a gift to all the years after it.',
    phases: ['Discover', 'Develop'],
    tags: ['Decisions'],
    motif: 'peaks',
    cover: 'Peaks of different height over a straight line',
    lines: [
      [0, '[No sound.] What does a no cost?'],
      [4, 'In discovery, little.'],
      [7.5, 'Before people, perhaps ten times that.'],
      [11, 'In Phase 3, perhaps a hundred times. So ask early.'],
    ],
    seconds: 15,
  },
  {
    slug: 'an-expert-on-consent',
    name: 'Expert Advice on Consent: Four Steps of Understanding',
    category: 'expert',
    description: 'Consent is a conversation that takes its time. Its four steps, from telling to deciding.',
    phases: ['Deliver'],
    tags: ['Ethics', 'Trial design'],
    motif: 'cells',
    cover: 'Cells side by side, one of them marked',
    lines: [
      [0, '[No sound.] Consent is more than a signature.'],
      [4, 'First, tell what is not known.'],
      [8, 'Then ask what was understood.'],
      [11.5, 'Then give it time. Only then comes a yes or a no.'],
    ],
    seconds: 16,
  },
  {
    slug: 'case-a-dose-too-low',
    name: 'Case Study: A Dose Too Low',
    category: 'case_study',
    description:
      'An invented Phase 2 trial finds nothing. The curve of receptor occupancy, measured afterwards, tells why.',
    phases: ['Deliver'],
    tags: ['Dose finding'],
    motif: 'helix',
    cover: 'Two strands that wind about each other',
    lines: [
      [0, '[No sound.] The dose to the right, occupied receptors upwards.'],
      [4, 'The trial tested these two doses.'],
      [7.5, 'Both lie below one half: nothing could be seen.'],
      [11, 'The dose that works stands here, and was never tried.'],
    ],
    seconds: 15,
  },
  {
    slug: 'case-an-interim-look',
    name: 'Case Study: An Interim Look',
    category: 'case_study',
    description:
      'In an invented trial, two survival curves part after six months. When may it be stopped, and what would be lost?',
    phases: ['Deliver'],
    tags: ['Survival', 'Statistics'],
    motif: 'cells',
    cover: 'Cells side by side, one of them marked',
    lines: [
      [0, '[No sound.] Patients without an event, over months.'],
      [4, 'With standard care the line falls steadily.'],
      [7.5, 'With the new medicine it falls less after month six.'],
      [11, 'The interim look comes at month nine: too early to be sure.'],
    ],
    seconds: 16,
  },
  {
    slug: 'case-a-signal-that-held',
    name: 'Case Study: A Signal That Held',
    category: 'case_study',
    description:
      'Reports of one rare harm arrive from four countries. How chance and signal are told apart, in an invented example.',
    phases: ['Deliver'],
    tags: ['Pharmacovigilance', 'Safety'],
    motif: 'bands',
    cover: 'Bands of different strength in eight lanes',
    lines: [
      [0, '[No sound.] Reports expected and reports received.'],
      [4, 'In the first country both are about equal.'],
      [7.5, 'In the other three they are not.'],
      [11, 'Three times the same excess is hardly chance.'],
    ],
    seconds: 15,
  },
  {
    slug: 'case-a-formulation-saved',
    name: 'Case Study: A Formulation That Saved a Compound',
    category: 'case_study',
    description: 'An invented molecule is right for its target and does not dissolve. What a spray-dried form changes.',
    phases: ['Develop'],
    tags: ['Formulation', 'ADME'],
    motif: 'lattice',
    cover: 'A lattice of hexagons with a few bonds drawn strong',
    lines: [
      [0, '[No sound.] What is absorbed, of 100 milligrams.'],
      [3.5, 'As crystals: 8.'],
      [6.5, 'As a salt: 21.'],
      [9.5, 'Spray-dried: 64, enough for an effect.'],
    ],
    seconds: 14,
  },
]
