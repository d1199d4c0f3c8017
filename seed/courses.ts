/** The demo courses, in catalog order. They refer to modules by their folders in seed/modules. */
import type { SiteKey } from '../app/config/brands.ts'
import type { CoverPhase } from '../app/lib/cover.ts'
import type { motifNames } from '../app/lib/cover-motifs.ts'
import type { Ctx } from '../app/services/context.ts'
import { listCoursesByUid } from '../app/services/courses/courses.server.ts'
import { createCourse } from '../app/services/courses/create-course.server.ts'
import { isOnSite, uidOf, uploadCover } from './demo-parts.ts'

type DemoCourse = {
  slug: string
  /** The only site that has it; both if it is left out. */
  site?: SiteKey
  name: string
  synopsis: string
  description: string
  objectives: string[]
  tags: string[]
  phase: CoverPhase
  motif: (typeof motifNames)[number]
  cover: string
  sections: { name: string; description: string; chapters: { name: string; modules: string[] }[] }[]
}

const demoCourses: DemoCourse[] = [
  {
    slug: 'medicines-for-the-nervous-system',
    site: 'ns',
    name: 'Medicines for the Nervous System',
    synopsis:
      'Into the brain, through a slow trial, and safely home: what is different when the organ cannot be sampled.',
    description:
      'Medicines for the brain fail more often than others, and often nobody learns why. This course follows the four questions on which they fail: whether the compound arrives, whether it does anything there, whether a trial can see it, and what it does to the person.',
    objectives: [
      'Compute the free concentration behind the blood-brain barrier.',
      'Choose a biomarker for one step, and say which step it does not prove.',
      'Plan a trial for a disease that moves one point a month.',
      'Name the harms that no blood test shows, and how each is measured.',
    ],
    tags: ['neuroscience', 'overview'],
    phase: 'develop',
    motif: 'cells',
    cover: 'Overlapping cells seen from above, the nucleus of one of them marked.',
    sections: [
      {
        name: 'Arriving',
        description: 'Through the wall and onto the target, with evidence for both.',
        chapters: [
          { name: 'The barrier', modules: ['crossing-the-blood-brain-barrier'] },
          { name: 'The evidence', modules: ['biomarkers-of-the-living-brain'] },
        ],
      },
      {
        name: 'Being measured',
        description: 'What is lost slowly or can only be asked about, and what the trial is then said to estimate.',
        chapters: [
          { name: 'The scale', modules: ['slow-diseases-and-subjective-scales'] },
          { name: 'The question', modules: ['endpoints-and-estimands'] },
        ],
      },
      {
        name: 'Being safe',
        description: 'Judgment, mood and attention.',
        chapters: [{ name: 'The person', modules: ['safety-of-medicines-for-the-brain'] }],
      },
    ],
  },
  {
    slug: 'from-question-to-first-dose',
    name: 'From a Question to the First Dose',
    synopsis:
      'The whole way at walking pace: a target, a screen, a compound, the studies behind it, and the first person.',
    description:
      'A first walk along the whole line. You meet each question in the order in which a project team meets it, and you see how the answer to one decides what the next one costs.',
    objectives: [
      'Say which evidence makes a protein a target.',
      'Tell a real hit from an artifact of the assay.',
      'Follow a dose from an animal study to the first person.',
    ],
    tags: ['overview'],
    phase: 'discover',
    motif: 'curves',
    cover: 'A family of S-shaped curves; one is drawn heavily, with a drop at its midpoint.',
    sections: [
      {
        name: 'Finding something to change',
        description: 'What in the body should be different, and which molecule might do it?',
        chapters: [
          { name: 'The target', modules: ['choosing-and-validating-a-drug-target'] },
          { name: 'The hit', modules: ['high-throughput-screening', 'reading-a-dose-response-curve'] },
        ],
      },
      {
        name: 'Making it fit for people',
        description: 'Where the compound goes, what it harms, and how much of it is enough.',
        chapters: [
          { name: 'Before people', modules: ['adme-and-early-dosing', 'glp-toxicology-before-the-first-dose'] },
          { name: 'The first dose', modules: ['first-in-human'] },
        ],
      },
    ],
  },
  {
    slug: 'foundations-of-target-discovery',
    name: 'Foundations of Target Discovery',
    synopsis: 'From a need at the bedside to a target that is worth ten years of work.',
    description:
      'A program can do everything right and fail because its target was wrong, or because nobody needed it. This course is about the years in which that is decided.',
    objectives: [
      'Write a need in one sentence, and say whom it leaves out.',
      'Weigh genetic, chemical and clinical evidence for a target such as IL-1β.',
      'Design the experiment that could prove you wrong.',
    ],
    tags: ['clinical need', 'target validation'],
    phase: 'discover',
    motif: 'helix',
    cover: 'The two strands of a double helix, with one base pair marked by a drop.',
    sections: [
      {
        name: 'The need',
        description: 'Who is not helped by what exists, and what it is like to be one of them.',
        chapters: [
          { name: 'Counting', modules: ['defining-an-unmet-clinical-need'] },
          { name: 'Asking', modules: ['listening-to-patients'] },
        ],
      },
      {
        name: 'The target',
        description: 'What to change in the body, and how sure you are.',
        chapters: [
          { name: 'Finding it', modules: ['choosing-and-validating-a-drug-target'] },
          { name: 'Proving it', modules: ['human-genetics-as-evidence'] },
        ],
      },
      {
        name: 'The first molecules',
        description: 'From a plate of numbers to a list that can be believed.',
        chapters: [{ name: 'Measuring', modules: ['high-throughput-screening', 'reading-a-dose-response-curve'] }],
      },
    ],
  },
  {
    slug: 'reading-assay-data',
    name: 'Reading Assay Data',
    synopsis:
      'Plates, curves and the four figures behind them, for everybody who has to decide on somebody else’s data.',
    description:
      'You do not have to run an assay to be misled by one. Two modules teach what the figures on a slide can carry, and what they cannot.',
    objectives: ['Judge a plate by its controls.', 'Read potency, efficacy and slope off a curve.'],
    tags: ['assays', 'statistics'],
    phase: 'discover',
    motif: 'plate',
    cover: 'A well plate in which one well stands out from a gradient of doses.',
    sections: [
      {
        name: 'From plate to curve',
        description: '',
        chapters: [{ name: 'Two readings', modules: ['high-throughput-screening', 'reading-a-dose-response-curve'] }],
      },
    ],
  },
  {
    slug: 'from-compound-to-candidate',
    name: 'From Compound to Candidate',
    synopsis: 'Chemistry, exposure, safety and the file: what has to be true of a molecule before anybody swallows it.',
    description:
      'A potent compound is not yet a medicine. This course follows one through chemistry, clearance, animal studies and toxicology to the day on which an application for a first trial can be sent.',
    objectives: [
      'Turn clearance, volume and half-life into a dose.',
      'Choose an animal model for what it predicts.',
      'Read a margin of exposure, and say how far it can be trusted.',
    ],
    tags: ['medicinal chemistry', 'pharmacokinetics', 'toxicology'],
    phase: 'develop',
    motif: 'peaks',
    cover: 'A chromatogram of four peaks above a graduated line, the highest marked by a drop.',
    sections: [
      {
        name: 'Making it better',
        description: 'One change, one reason, one measurement that could have gone the other way.',
        chapters: [{ name: 'The lead', modules: ['lead-optimization'] }],
      },
      {
        name: 'What the body does to it',
        description: 'In, around, changed and out again.',
        chapters: [{ name: 'Exposure', modules: ['adme-and-early-dosing', 'choosing-a-formulation'] }],
      },
      {
        name: 'What it does to the body',
        description: 'Whether it helps an animal, what it harms, and at which exposure.',
        chapters: [
          { name: 'Effect', modules: ['choosing-an-animal-model'] },
          { name: 'Safety', modules: ['glp-toxicology-before-the-first-dose'] },
        ],
      },
      {
        name: 'What the file says',
        description: 'The reports as an argument that a stranger can check.',
        chapters: [{ name: 'The application', modules: ['from-data-package-to-application'] }],
      },
    ],
  },
  {
    slug: 'the-first-people',
    name: 'The First People',
    synopsis: 'How a dose is chosen for somebody who cannot benefit from it, and what protects her.',
    description:
      'Phase 1 is the part of development with the fewest people and the most care for each of them. Two modules, from the last animal study to the first evening on the ward.',
    objectives: [
      'Derive a starting dose in two ways, and choose.',
      'Say what has to be true before the next person is dosed.',
    ],
    tags: ['first in human', 'safety'],
    phase: 'deliver',
    motif: 'cells',
    cover: 'Overlapping cells seen from above, the nucleus of one of them marked.',
    sections: [
      {
        name: 'Up to the dose',
        description: '',
        chapters: [{ name: 'The last studies before', modules: ['glp-toxicology-before-the-first-dose'] }],
      },
      { name: 'The dose', description: '', chapters: [{ name: 'On the ward', modules: ['first-in-human'] }] },
    ],
  },
  {
    slug: 'designing-trials-that-answer',
    name: 'Designing Trials That Answer',
    synopsis:
      'What to measure and to estimate, who must not know what, and how a trial finds a dose and not only an effect.',
    description:
      'A trial can be run perfectly and still answer another question than the one that was asked. This course is about asking it so that the answer is useful.',
    objectives: [
      'Write an endpoint that two people would measure alike.',
      'Name the estimand of a trial, and its intercurrent events.',
      'Protect a trial from what people know and hope.',
      'Choose doses from which a curve can be drawn.',
    ],
    tags: ['trial design', 'statistics'],
    phase: 'deliver',
    motif: 'bands',
    cover: 'Bands at different heights in the lanes of a gel, one of them marked.',
    sections: [
      {
        name: 'The question',
        description: 'From what matters to patients to what is written in the protocol.',
        chapters: [{ name: 'Endpoints and estimands', modules: ['endpoints-and-estimands'] }],
      },
      {
        name: 'The comparison',
        description: 'Groups that differ in nothing but the treatment, from the first day to the last.',
        chapters: [{ name: 'Chance and secrecy', modules: ['randomisation-and-blinding'] }],
      },
      {
        name: 'The dose',
        description: 'How much is enough, and what more of it costs.',
        chapters: [{ name: 'Phase 2', modules: ['finding-the-dose'] }],
      },
    ],
  },
  {
    slug: 'safety-across-the-life-of-a-medicine',
    name: 'Safety across the Life of a Medicine',
    synopsis: 'From the margin in an animal to the signal among a million prescriptions.',
    description:
      'Safety is never known, only known better. Three modules follow the question from the toxicology report over the first dose to the years after approval.',
    objectives: [
      'Say what each stage can and cannot show about harm.',
      'Tell a signal from noise among spontaneous reports.',
    ],
    tags: ['safety', 'regulation'],
    phase: 'deliver',
    motif: 'rings',
    cover: 'Broken rings that spread from one marked point.',
    sections: [
      {
        name: 'Before people',
        description: '',
        chapters: [{ name: 'Animals', modules: ['glp-toxicology-before-the-first-dose'] }],
      },
      {
        name: 'With people',
        description: 'A few first, then thousands, then everybody.',
        chapters: [
          { name: 'A few', modules: ['first-in-human'] },
          { name: 'Everybody', modules: ['pharmacovigilance-and-risk-management'] },
        ],
      },
    ],
  },
]

/** Creates the courses. Their modules must exist. Safe to repeat. */
export async function seedCourses(ctx: Ctx, accessPlanUids: string[]): Promise<void> {
  const courses = demoCourses.filter((course) => isOnSite(course, ctx.site.key))
  const made = await listCoursesByUid(
    ctx,
    courses.map(({ slug }) => uidOf(ctx, 'course', slug)),
  )
  for (const course of courses) {
    const uid = uidOf(ctx, 'course', course.slug)
    if (made.has(uid)) continue
    await createCourse(ctx, {
      uid,
      name: course.name,
      synopsis: course.synopsis,
      description: course.description,
      learningObjectives: course.objectives,
      tags: course.tags,
      coverImg: await uploadCover(ctx, course, course.phase),
      coverImgDesc: course.cover,
      accessPlanUids,
      publish: true,
      sections: course.sections.map(({ name, description, chapters }) => ({
        name,
        description,
        chapters: chapters.map((chapter) => ({
          name: chapter.name,
          description: '',
          moduleUids: chapter.modules.map((folder) => uidOf(ctx, 'module', folder)),
        })),
      })),
    })
  }
}
