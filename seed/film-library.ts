/**
 * The texts of the demo's lectures and videos. tools/films/library draws their films with the same times, so that the
 * captions match the pictures. The films are silent animations without a presenter: nobody is named who is neither
 * seen nor heard. Each transcript says at its start that there is no sound.
 */
import type { SiteKey } from '../app/config/brands.ts'

export type Cue = { from: number; to: number; text: string }

export type DemoFilm = {
  slug: string
  /** The only site that has it; both if it is left out. */
  site?: SiteKey
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

/** Captions at the speed of reading: each stays for its length, at fourteen characters a second. */
function paced(texts: string[]): Pick<DemoFilm, 'lines' | 'seconds'> {
  const lines: DemoFilm['lines'] = []
  let seconds = 0
  for (const [index, text] of texts.entries()) {
    lines.push([seconds, index === 0 ? `[No sound.] ${text}` : text])
    seconds += Math.max(4, Math.ceil((text.length / 14) * 2) / 2)
  }
  return { lines, seconds: Math.ceil(seconds) }
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
      [0, '[No sound.] Exposure to the right, response upward.'],
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
      'Question, people, comparison, endpoint: four decisions that are made before the first patient, and that no analysis can repair afterward.',
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
    slug: 'how-many-patients',
    name: 'How Many Patients Does a Trial Need?',
    description:
      'Scatter, difference, risk and number are tied together: choose three, and the fourth follows. Why small trials miss what is there, and why a huge one can find what nobody feels.',
    phases: ['Deliver'],
    chapter: 'Clinical Trial Design',
    tags: ['Trial design', 'Statistics'],
    motif: 'curves',
    cover: 'A family of S-shaped curves, one of them strong',
    questions:
      '1. What is the smallest difference that would **change** what you do?\n2. How do you know the scatter that your plan assumes?\n3. What would you say about a trial that is half as large and found nothing?',
    ...paced([
      'A trial asks whether a medicine lowers blood pressure by 5 mmHg more than placebo does.',
      'Nobody responds exactly like anybody else. This curve shows the change in people on placebo.',
      'And this one the change in people on the medicine: shifted by five, and just as wide.',
      'The two overlap so far that a single person tells you almost nothing.',
      'The width has a name, the standard deviation. Here it is ten.',
      'But a trial does not compare people one by one. It compares means, and means scatter less.',
      'The mean of four people scatters half as much as one person.',
      'The mean of twenty-five, a fifth as much.',
      'And that of a hundred, a tenth. The curves come apart: that is all that numbers do.',
      'Now draw a line. Beyond it we will say: that is more than chance.',
      'Where it stands is decided first. By custom, chance alone may cross it in one of twenty trials.',
      'The other mistake is to stay below the line although the medicine works.',
      'The share of trials that find what is there is called power. Planners ask for 80 or 90 percent.',
      'So four things are tied together: scatter, difference, risk and number. Choose three, and the fourth follows.',
      'A rule of thumb for 80 percent: sixteen times the square of scatter over difference, in each group.',
      'Here: ten over five is two, and its square is four. Sixty-four people in each group.',
      'To see a difference of ten, sixteen would do.',
      'To see one of two and a half, you need 256. Half the difference, four times the people.',
      'So it is tempting to hope for a large effect. The trial becomes cheap, and blind to anything less.',
      'In 1978 Jennie Freiman and others looked at 71 trials that had found no difference.',
      'In 67 of them, the chance of missing a treatment better by a quarter was more than one in ten.',
      'The absence of evidence had been read as evidence of absence.',
      'Nor is larger always better. With enough people, a difference that nobody feels becomes significant.',
      'Therefore ask first which difference would change what you do.',
      'Then count backward, add those who will leave, and write the number down before the first patient.',
    ]),
  },
  {
    slug: 'six-volunteers',
    name: 'Six Volunteers: What a First Dose Taught',
    description:
      'In 2006 six healthy men fell gravely ill after a dose that had looked cautious. What the margin had missed, and the three lessons that every first trial since has had to learn.',
    phases: ['Develop', 'Deliver'],
    chapter: 'Phase 1',
    tags: ['First in human', 'Safety'],
    motif: 'rings',
    cover: 'Rings that spread from a single point',
    questions:
      '1. In which species does your target do the **same** as in people, and how do you know?\n2. Which share of the target will your first dose occupy?\n3. How long would you wait after the first person, and why?',
    ...paced([
      'March 13, 2006, a trial unit in London. Eight healthy men take part in the first trial of an antibody, TGN1412.',
      'Two of them get placebo. Six get the antibody, one after another, about ten minutes apart.',
      'It is made to wake certain cells of the immune system, without the first signal that they usually need.',
      'The dose looks cautious: a tenth of a milligram for each kilogram.',
      'Monkeys had been given fifty and showed no harm. The first dose was a five-hundredth of that.',
      'Within ninety minutes all six are ill: headache, pain, fever, falling blood pressure.',
      'When the first of them felt something, the last had already received his dose.',
      'By the next day they are in intensive care, with failing lungs and kidneys. All six survive.',
      'What had the margin missed? It asked at which dose harm begins in monkeys.',
      'But in monkeys the cells that reacted in people do not carry the target.',
      'There the antibody could not wake them, at any dose. Fifty milligrams were harmless, and said nothing.',
      'There is another way to reckon: from the target, and not from harm.',
      'At a low concentration an antibody occupies few receptors. At a higher one, most of them.',
      'Afterward it was computed how many the first dose had occupied: about nine in ten.',
      'For a molecule that switches something on, that is no beginning. It is the plateau.',
      'Begin where the effect is only about to begin, with few receptors occupied.',
      'That dose is called MABEL: the minimal anticipated biological effect level.',
      'Since 2007 a European guideline asks for both ways when the risk seems high. The lower dose counts.',
      'The second lesson needs no science. Dose one person, and wait.',
      'The sentinel comes first, together with one on placebo. The others follow when the wait is over.',
      'How long it lasts depends on the molecule: until what could happen should have happened.',
      'The third lesson is who decides. Before each step up, people look at all the data, with rules for stopping.',
      'In January 2016, in Rennes, volunteers in another first trial fell ill, and one of them died.',
      'They had been given repeated doses far above what was needed to block the target.',
      'The guideline was revised in 2017. Now the highest dose needs its reason, too, and not only the first.',
      'A first dose is a forecast. Say what it rests on, and what would prove it wrong.',
    ]),
  },
  {
    slug: 'what-reaches-the-brain',
    site: 'ns',
    name: 'What Reaches the Brain',
    description:
      'The wall in the capillaries, the pumps in the wall, and the one concentration that counts: the free one. How a forecast for people is made from it, and how PET checks it.',
    phases: ['Develop'],
    chapter: 'Optimization',
    tags: ['Blood-brain barrier', 'Pharmacokinetics'],
    motif: 'cells',
    cover: 'Cells side by side, one of them marked',
    questions:
      '1. Is your compound pumped out, and in **which species** was that measured?\n2. What is its free concentration in the brain, and what does the target need?\n3. If your trial fails, what will tell you whether the dose was too low?',
    ...paced([
      'About a seventh of the blood that the heart pumps goes to the brain. Little of what it carries gets in.',
      'The wall is in the capillaries, 600 kilometers of them: cells that are sealed to one another.',
      'Small molecules that dissolve in fat can pass through the cells themselves.',
      'Sugar and amino acids have carriers. Levodopa travels on one of these.',
      'And pumps throw out what has come in. P-glycoprotein is the best known.',
      'Loperamide shows what a pump can do: an opioid that stops diarrhea, and stays out of the head.',
      'This is what teams used to compare: all of the compound that is in the brain.',
      'Compound A seems to win by far, with 800 nanomolar against 60.',
      'But tissue is full of fat, and fat holds A. What is held cannot act.',
      'Now look only at what is free. Of A there are 4 nanomolar, of B there are 12.',
      'The target needs five. A never reaches it, and B does.',
      'So divide free by free: in the brain, over in plasma. The ratio is called Kp,uu.',
      'Near one, the wall does not hinder the compound.',
      'Well below one, something removes it. Look for the pump.',
      'With the ratio, a level in plasma becomes a level in the brain: a forecast for people.',
      'It can be checked. PET shows how many receptors the medicine has taken.',
      'At the concentration EC50, half of them are occupied.',
      'Three times as much occupies 75 percent, nine times as much 90. Each step costs more and brings less.',
      'For medicines against schizophrenia the window is known: enough from 65 percent, too much from about 78.',
      'With PET, a trial that fails still has a meaning. Without it, the dose may simply have been too low.',
      'Aprepitant occupied over 90 percent and did not help in depression. Few then blamed the dose.',
      'Some molecules hardly cross. Antibodies reach about a thousandth of their level in blood.',
      'They can borrow a receptor, but must hold it weakly enough to be let go.',
      'Or one goes around. Nusinersen is injected into the fluid around the spinal cord.',
      'Whatever the way: measure what is free, where the target is, and do it before the trial.',
    ]),
  },
  {
    slug: 'when-placebo-works-too',
    site: 'ns',
    name: 'When Placebo Works, Too',
    description:
      'In trials in depression, people on placebo get much better. Where that comes from, what it hid from those who read journals, and what a design can do about it.',
    phases: ['Deliver'],
    chapter: 'Clinical Trial Design',
    tags: ['Trial design', 'Placebo'],
    motif: 'bands',
    cover: 'Bands of different strength in eight lanes',
    questions:
      '1. Which of the four causes is **strongest** in your trials?\n2. Who knows the entry threshold, and who could wish to reach it?\n3. What do you assume about people who leave?',
    ...paced([
      'An invented trial in depression. Each week for eight weeks, a rater asks the same questions.',
      'The score of people on the medicine falls, from 24 points to 13.',
      'The score of people on placebo falls as well, from 24 to 15.',
      'What remains is a gap of two points. Why does placebo do so well?',
      'First, time. People come when it is worst. Many would have been better a month later in any case.',
      'Second, the door. If it takes 20 points to come in, an 18 easily becomes a 20.',
      'So on the first day too many stand just above the line. A week later they are back where they were.',
      'Third, care. A visit each week and somebody who listens are a treatment.',
      'Fourth, hope. The more groups get the medicine, the surer people are that they have it.',
      'None of this is a trick, and none of it is the medicine. It is in both groups, and it hides the difference.',
      'In 2008 Erick Turner and others compared two piles: what the FDA knew, and what had been printed.',
      'The agency had 74 trials of twelve antidepressants. It judged 38 of them to be positive.',
      'Of these 38, all but one were published.',
      'Of the other 36, 22 were not published, and 11 were printed as if they had been positive.',
      'In the journals, 94 percent of the trials looked positive. In the files it was 51.',
      'Pooled, each of these medicines does work, a little. The trials were weak, and the failures unseen.',
      'What helps? Fewer sites, with raters who are trained and watched.',
      'An entry line that the sites do not know, and raters who do not know which visit it is.',
      'And no promises. To say that most people improve here is a dose of placebo.',
      'Then there are those who leave. A quarter may be gone before the end.',
      'Carrying their last value forward pretends that nothing would have changed.',
      'A mixed model uses every visit that there was, and invents none.',
      'It still assumes something about those who left. So a second analysis should doubt it.',
      'And before all of that: is it the effect if everybody stays, or the effect as people live?',
      'A gap of two points can be a good medicine badly measured, or a poor one. The design decides whether you will know.',
    ]),
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
      [0, '[No sound.] Antibody to the right, bound targets upward.'],
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
    name: 'Biomarkers: What Moves First',
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
    name: 'Stopping: The Cheapest No',
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
    name: 'Consent: Four Steps of Understanding',
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
      'An invented Phase 2 trial finds nothing. The curve of receptor occupancy, measured afterward, tells why.',
    phases: ['Deliver'],
    tags: ['Dose finding'],
    motif: 'helix',
    cover: 'Two strands that wind about each other',
    lines: [
      [0, '[No sound.] The dose to the right, occupied receptors upward.'],
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
