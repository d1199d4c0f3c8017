import { type Ctx, requireAdmin } from '../context.ts'
import { listProfileQuestions } from '../questionnaire/questionnaire.server.ts'

const fixedFields = [
  { id: 'first_name', title: 'First name' },
  { id: 'last_name', title: 'Last name' },
  { id: 'email', title: 'Email' },
  { id: 'institution', title: 'Institution' },
  { id: 'groups', title: 'Groups' },
  { id: 'access_plan', title: 'Access plan' },
  { id: 'subscription_type', title: 'Subscription type' },
  { id: 'valid_from', title: 'Valid from' },
  { id: 'valid_to', title: 'Valid to' },
  { id: 'joined', title: 'Joined' },
  { id: 'last_login', title: 'Last login' },
  { id: 'completed_modules', title: 'Completed modules' },
  { id: 'completed_courses', title: 'Completed courses' },
]

/** Lists the columns that a report about users can have, for admins: one for each question of the profile too (C-208). */
export async function listUserReportFields(ctx: Ctx): Promise<{ id: string; title: string }[]> {
  requireAdmin(ctx)
  const questions = await listProfileQuestions(ctx)
  return [...fixedFields, ...questions.map(({ uid, text }) => ({ id: uid, title: text }))]
}
