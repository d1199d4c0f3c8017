/**
 * The profile questionnaire of a new site. The five questions with a key are used to filter recipients and to group
 * reports.
 */
import type { Database } from '../db/client.server.ts'

const other = 'Other'

/** The tags that an answer stands for, by its text: the home page offers newcomers a course with one of them. */
const tagsOfOptions: Record<string, string[]> = {
  'Finding and validating a target': ['target validation', 'clinical need'],
  'Screening and optimizing compounds': ['assays', 'screening', 'medicinal chemistry'],
  'Animal and safety studies': ['toxicology', 'animal studies'],
  'Designing and running clinical trials': ['trial design'],
  'Regulation and approval': ['regulation'],
  'Funding and founding a company': ['strategy'],
  'None yet': ['overview'],
}

const questions: {
  key?: string
  text: string
  type?: 'multiple'
  isRequired?: boolean
  options: string[]
}[] = [
  {
    key: 'institution_type',
    text: 'Institution or company',
    isRequired: true,
    options: ['Academia', 'Non-profit', 'Industry', other],
  },
  {
    key: 'position',
    text: 'Current position',
    isRequired: true,
    options: [
      'Student',
      'Postdoctoral scholar',
      'Principal investigator',
      'Research scientist',
      'Clinician or clinician scientist',
      'Staff',
      other,
    ],
  },
  {
    key: 'research_type',
    text: 'Type of research engaged in',
    isRequired: true,
    options: ['Basic research', 'Translational research', 'Not engaged in scientific research'],
  },
  {
    key: 'modality',
    text: 'Modality your translational research focuses on',
    isRequired: true,
    options: [
      'Therapeutic (small molecule or biologic)',
      'Vaccine',
      'Diagnostic test',
      'Medical device',
      'Software or app',
      'Not conducting translational research',
      other,
    ],
  },
  {
    key: 'region',
    text: 'Geographical region',
    isRequired: true,
    options: [
      'Africa',
      'Asia',
      'Caribbean',
      'Central America',
      'Europe',
      'North America (Canada)',
      'North America (Mexico)',
      'North America (United States)',
      'Oceania',
      'South America',
    ],
  },
  {
    text: 'Steps of drug development you want to learn about',
    type: 'multiple',
    options: [
      'Finding and validating a target',
      'Screening and optimizing compounds',
      'Animal and safety studies',
      'Designing and running clinical trials',
      'Regulation and approval',
      'Funding and founding a company',
      other,
    ],
  },
  {
    text: 'Experience with drug development so far',
    options: ['None yet', 'Less than 2 years', '2 to 5 years', 'More than 5 years'],
  },
  {
    text: 'How you heard about us',
    options: ['A colleague', 'My institution', 'A search engine', 'A conference or publication', other],
  },
]

/** Written only once, since the site may change texts and order afterwards. */
export async function seedQuestions(db: Database, siteId: number): Promise<void> {
  const filled = await db.selectFrom('profile_questions').select('id').where('site_id', '=', siteId).limit(1).execute()
  if (filled.length > 0) return
  const rows = await db
    .insertInto('profile_questions')
    .values(
      questions.map(({ key, text, type, isRequired }, position) => ({
        site_id: siteId,
        key: key ?? null,
        position,
        text,
        type: type ?? 'single',
        is_required: isRequired ?? false,
      })),
    )
    .onConflict((oc) => oc.doNothing())
    .returning(['id', 'position'])
    .execute()
  const options = rows.flatMap(({ id, position }) =>
    (questions[position]?.options ?? []).map((text, index) => ({
      question_id: id,
      position: index,
      text,
      allows_custom_answer: text === other,
    })),
  )
  if (options.length === 0) return
  const written = await db.insertInto('profile_options').values(options).returning(['id', 'text']).execute()
  await db
    .insertInto('profile_option_tags')
    .values(written.flatMap(({ id, text }) => (tagsOfOptions[text] ?? []).map((tag) => ({ option_id: id, tag }))))
    .execute()
}
