/**
 * Who is on the demo sites besides the demo learner and the newcomer. They are invented. Nobody knows their passwords, but for those of the
 * instructor, the author and the admin, whose accounts are made with the content (seed/demo.ts).
 */
import type { SiteKey } from '../../app/config/brands.ts'
import type { GroupName } from '../../app/services/context.ts'
import type { DemoAnswers } from '../demo-answers.ts'

export type Plan = 'subsidized' | 'full' | 'free' | 'none'

export type DemoPerson = {
  /** The address before the @. */
  name: string
  firstName: string
  lastName: string
  groups: GroupName[]
  /** Null: the site's own. */
  institution: string | null
  profileAnswers: DemoAnswers
  plan: Plan
  /** How long the plan is valid from the first day; for good where it is left out. */
  planDays?: number
  /** Days before the seed: when the account was opened or, of somebody who has not done that yet, when the invitation went out. */
  joined: number
  /** When the person was here last. Null: never came in. */
  lastSeen: number | null
  state: 'active' | 'invited' | 'deactivated'
  /** How many modules were opened, and how likely an answer is right. */
  modules: number
  skill: number
}

type Line = [
  first: string,
  last: string,
  institution: string | null,
  answersKey: string,
  joined: number,
  lastSeen: number | null,
  modules: number,
  skill: number,
  rest?: Partial<Pick<DemoPerson, 'groups' | 'plan' | 'planDays' | 'state'>>,
]

/** Kind of institution, position, research, modality and region, in the order of the questions. */
const answers: Record<string, DemoAnswers> = {
  student: ['Academia', 'Student', 'Basic research', 'Therapeutic (small molecule or biologic)', 'Europe'],
  studentUs: ['Academia', 'Student', 'Translational research', 'Vaccine', 'North America (United States)'],
  studentAfrica: ['Academia', 'Student', 'Translational research', 'Vaccine', 'Africa'],
  postdoc: ['Academia', 'Postdoctoral scholar', 'Translational research', 'Diagnostic test', 'Europe'],
  postdocUs: [
    'Academia',
    'Postdoctoral scholar',
    'Translational research',
    'Therapeutic (small molecule or biologic)',
    'North America (United States)',
  ],
  postdocAsia: ['Academia', 'Postdoctoral scholar', 'Basic research', 'Not conducting translational research', 'Asia'],
  leader: ['Academia', 'Principal investigator', 'Translational research', 'Medical device', 'North America (Canada)'],
  leaderSouth: [
    'Academia',
    'Principal investigator',
    'Translational research',
    'Therapeutic (small molecule or biologic)',
    'South America',
  ],
  clinician: ['Academia', 'Clinician or clinician scientist', 'Translational research', 'Software or app', 'Asia'],
  clinicianEurope: ['Non-profit', 'Clinician or clinician scientist', 'Translational research', 'Vaccine', 'Europe'],
  industry: [
    'Industry',
    'Research scientist',
    'Translational research',
    'Therapeutic (small molecule or biologic)',
    'North America (United States)',
  ],
  industryAsia: [
    'Industry',
    'Research scientist',
    'Translational research',
    'Therapeutic (small molecule or biologic)',
    'Asia',
  ],
  charity: [
    'Non-profit',
    'Staff',
    'Not engaged in scientific research',
    'Not conducting translational research',
    'Africa',
  ],
  staff: [
    'Academia',
    'Staff',
    'Not engaged in scientific research',
    'Not conducting translational research',
    'Oceania',
  ],
}

const helvik = 'Helvik University'
const saoMiguel = 'Universidade São Miguel'
const lakeshore = 'Lakeshore Medical School'
const corvane = 'Corvane Therapeutics'
const arunya = 'Arunya Institute of Science'
const openDose = 'Open Dose Foundation'

const institutional: Line[] = [
  ['Chidi', 'Nwosu', lakeshore, 'studentAfrica', 362, 6, 12, 0.82],
  ['Ingrid', 'Halvorsen', helvik, 'postdoc', 358, 12, 11, 0.9],
  ['Rafael', 'Monteiro', saoMiguel, 'leaderSouth', 351, 48, 8, 0.86],
  ['Mei-Ling', 'Chua', arunya, 'postdocAsia', 344, 3, 13, 0.93],
  ['Tobias', 'Engel', helvik, 'student', 340, 140, 5, 0.66],
  ['Noor', 'Haddad', lakeshore, 'clinician', 333, 9, 9, 0.88],
  ['Samuel', 'Whitlock', corvane, 'industry', 325, 20, 7, 0.84, { plan: 'full' }],
  ['Yuki', 'Nakahara', arunya, 'industryAsia', 318, 2, 10, 0.91, { plan: 'full', planDays: 730 }],
  ['Leila', 'Farahani', lakeshore, 'postdocUs', 309, 31, 8, 0.79],
  ['Bartosz', 'Wieczorek', helvik, 'student', 301, 215, 3, 0.58, { state: 'deactivated' }],
  ['Camila', 'Restrepo', saoMiguel, 'leaderSouth', 296, 120, 6, 0.83, { plan: 'full', planDays: 180 }],
  ['Oluwaseun', 'Adeyemi', lakeshore, 'studentAfrica', 288, 5, 11, 0.8],
  ['Priscilla', 'Mensah', openDose, 'charity', 280, 17, 0, 0.74, { plan: 'free' }],
  ['Aleksander', 'Lund', helvik, 'leader', 272, 60, 4, 0.9],
  ['Hye-jin', 'Bae', arunya, 'postdocAsia', 265, 8, 9, 0.87],
  ['Dominik', 'Sauer', corvane, 'industry', 258, 112, 4, 0.77, { plan: 'full', planDays: 150 }],
  ['Fatoumata', 'Diarra', openDose, 'charity', 247, 41, 5, 0.72],
  ['Grace', 'Oduya', lakeshore, 'studentUs', 239, 4, 9, 0.81],
  ['Nikhil', 'Deshmukh', arunya, 'clinician', 226, 15, 7, 0.85],
  ['Sofia', 'Bergqvist', helvik, 'clinicianEurope', 214, 33, 6, 0.92],
  ['Mateo', 'Quiroga', saoMiguel, 'student', 203, 11, 7, 0.69],
  ['Amelia', 'Thornbury', lakeshore, 'postdocUs', 189, 7, 8, 0.89],
  ['Kwabena', 'Asante', openDose, 'studentAfrica', 176, 26, 5, 0.76],
  ['Elif', 'Karaca', helvik, 'clinicianEurope', 160, 130, 2, 0.71, { state: 'deactivated' }],
  ['Thanh', 'Pham', arunya, 'student', 148, 2, 7, 0.78],
  ['Isabel', 'Carrasco', saoMiguel, 'postdoc', 131, 10, 5, 0.84],
  ['Wanjiru', 'Kamau', openDose, 'studentAfrica', 117, 3, 6, 0.83],
  ['Henrik', 'Aalto', helvik, 'industry', 96, 72, 2, 0.8, { plan: 'full', planDays: 30 }],
  ['Zainab', 'Qureshi', lakeshore, 'studentUs', 74, 1, 5, 0.86],
  ['Diego', 'Almonte', null, 'student', 52, 13, 0, 0.7, { plan: 'none' }],
  ['Anneliese', 'Brandt', null, 'staff', 38, 21, 0, 0.7, { plan: 'none' }],
  ['Jun', 'Takeda', arunya, 'industryAsia', 24, 1, 3, 0.88],
  ['Marcus', 'Ellery', lakeshore, 'leader', 355, 14, 4, 0.94, { groups: ['learners', 'instructors'] }],
  ['Aisha', 'Belkacem', arunya, 'clinician', 230, 22, 3, 0.93, { groups: ['learners', 'instructors'] }],
  ['Pieter', 'van Rooyen', null, 'staff', 348, 5, 2, 0.95, { groups: ['learners', 'authors'] }],
  ['Lucía', 'Ferrer', null, 'staff', 341, 2, 0, 0.9, { groups: ['admins'] }],
  ['Emeka', 'Obi', lakeshore, 'studentAfrica', 34, null, 0, 0.8, { state: 'invited' }],
  ['Saoirse', 'Kinsella', helvik, 'postdoc', 11, null, 0, 0.8, { state: 'invited' }],
  ['Rajesh', 'Pillai', corvane, 'industry', 5, null, 0, 0.8, { state: 'invited', groups: ['learners', 'instructors'] }],
]

const ns: Line[] = [
  ['Beatriz', 'Salgado', saoMiguel, 'leaderSouth', 338, 16, 8, 0.87],
  ['Kofi', 'Amankwah', openDose, 'studentAfrica', 290, 4, 7, 0.8],
  ['Linnea', 'Åkesson', helvik, 'postdoc', 242, 9, 6, 0.91],
  ['Arjun', 'Menon', arunya, 'industryAsia', 187, 71, 5, 0.78, { plan: 'full', planDays: 120 }],
  ['Miriam', 'Goldfarb', lakeshore, 'clinician', 119, 2, 5, 0.9, { groups: ['learners', 'instructors'] }],
  ['Teodor', 'Ilić', helvik, 'student', 83, 55, 2, 0.64, { state: 'deactivated' }],
  ['Nomvula', 'Khumalo', openDose, 'charity', 41, 3, 3, 0.82],
]

/** They look around more than they learn. */
const ownStaff: DemoPerson[] = [
  ['instructor', 370, 3, 4],
  ['author', 390, 2, 2],
  ['admin', 395, 1, 0],
].map(([name, joined, lastSeen, modules]) => ({
  ...personOf(['', '', null, 'staff', Number(joined), Number(lastSeen), Number(modules), 0.95]),
  name: String(name),
}))

export const people: Record<SiteKey, DemoPerson[]> = {
  institutional: [...ownStaff, ...institutional.map(personOf)],
  ns: [...ownStaff, ...ns.map(personOf)],
}

function personOf([
  firstName,
  lastName,
  institution,
  answersKey,
  joined,
  lastSeen,
  modules,
  skill,
  rest,
]: Line): DemoPerson {
  return {
    name: `${plain(firstName)}.${plain(lastName)}`,
    firstName,
    lastName,
    groups: ['learners'],
    institution,
    profileAnswers: answers[answersKey] ?? [],
    plan: 'subsidized',
    joined,
    lastSeen,
    state: 'active',
    modules,
    skill,
    ...rest,
  }
}

function plain(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^a-zA-Z]/g, '')
    .toLowerCase()
}

/** True if the account was open on that day, and not closed again. */
export function isThere({ state, joined, lastSeen }: DemoPerson, daysAgo: number): boolean {
  return state !== 'invited' && joined > daysAgo && (state !== 'deactivated' || (lastSeen ?? 0) <= daysAgo)
}
