/**
 * The profile questionnaire: the site's questions and people's answers. A person has at most one answer per question; a
 * new answer replaces the old one. A single-choice answer has one option, and an option that allows a custom answer
 * requires it. Learners cannot enter the learner area until they have answered the required questions. The values for
 * filters and reports (user_facets) are written with the answers.
 */
import { userAnswersForm } from '~/forms/questionnaire.ts'
import {
  type Answered,
  type AnswerInput,
  answerErrors,
  choiceField,
  chosenOf,
  type ProfileQuestion,
  takesCustomAnswer,
} from '~/forms/questionnaire-rules.ts'
import { tidyLine } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { actsAsAdmin, type Ctx, isAdmin, requireActor, requireSelfOrAdmin, requireViewer } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { projectFacets, projectFacetsOf, projectGroupsOf } from './facets.server.ts'
import { hasAnsweredAll, questionsQuery } from './queries.server.ts'

export { hasAnsweredAll, projectFacets, projectFacetsOf, projectGroupsOf }

/** Lists the site's questions in order. */
export async function listProfileQuestions(ctx: Ctx): Promise<ProfileQuestion[]> {
  requireViewer(ctx)
  return (await readQuestions(ctx)).map(({ uid, text, type, isRequired, options }) => ({
    uid,
    text,
    type,
    isRequired,
    options: options.map(({ id: _, ...option }) => option),
  }))
}

export type UserAnswer = Answered & { uid: string }

/** Lists the answers of the viewer or, for admins, of anybody of the site, in the order of the questions. */
export async function listUserAnswers(ctx: Ctx, input: { userUid: string }): Promise<UserAnswer[]> {
  await personId(ctx, input.userUid)
  const userUid = input.userUid.toLowerCase()
  return (await listAnswersOfUsers(ctx, [userUid])).get(userUid) ?? []
}

/** The same for many people in one query. Others than admins get only their own answers. */
export async function listAnswersOfUsers(ctx: Ctx, userUids: string[]): Promise<Map<string, UserAnswer[]>> {
  requireActor(ctx)
  const uids = userUids.filter((uid) => isUid(uid) && (actsAsAdmin(ctx) || uid === ctx.viewer?.uid))
  if (uids.length === 0) return new Map()
  const rows = await ctx.db
    .selectFrom('users as u')
    .innerJoin('user_answers as a', 'a.user_id', 'u.id')
    .innerJoin('profile_questions as q', 'q.id', 'a.question_id')
    .innerJoin('user_answer_options as chosen', 'chosen.answer_id', 'a.id')
    .innerJoin('profile_options as o', 'o.id', 'chosen.option_id')
    .select([
      'u.uid as userUid',
      'a.uid',
      'q.uid as questionUid',
      'a.custom_answer as customAnswer',
      'o.uid as optionUid',
    ])
    .where('u.uid', 'in', uids)
    .where('u.site_id', '=', ctx.site.id)
    .where('u.erased_at', 'is', null)
    .where('q.site_id', '=', ctx.site.id)
    .orderBy('q.position')
    .orderBy('q.id')
    .orderBy('o.position')
    .execute()
  const byUser = new Map<string, Map<string, UserAnswer>>()
  for (const { userUid, optionUid, ...row } of rows) {
    const answers = byUser.get(userUid) ?? new Map<string, UserAnswer>()
    byUser.set(userUid, answers)
    const known = answers.get(row.uid)
    if (known) known.optionUids.push(optionUid)
    else answers.set(row.uid, { ...row, optionUids: [optionUid] })
  }
  return new Map([...byUser].map(([userUid, answers]) => [userUid, [...answers.values()]]))
}

/** Tells whether the viewer must answer questions before entering the learner area. Admins never must. */
export async function isQuestionnaireOpen(ctx: Ctx): Promise<boolean> {
  const viewer = requireViewer(ctx)
  if (isAdmin(viewer)) return false
  const row = await ctx.db
    .selectFrom('users')
    .select(hasAnsweredAll({ id: 'users.id', siteId: 'users.site_id' }).as('isAnswered'))
    .where('id', '=', viewer.id)
    .executeTakeFirst()
  return row?.isAnswered === false
}

/**
 * Saves answers of the viewer or, for admins, of anybody of the site. Each answer replaces the earlier one to its
 * question; other answers stay. An answer without an option deletes the earlier one. Saves all answers or none. Throws
 * Invalid with a message per field.
 */
export async function saveUserAnswers(
  ctx: Ctx,
  input: { userUid?: string; answers: AnswerInput[] },
): Promise<{ allQuestionsAnswered: boolean }> {
  const viewer = requireViewer(ctx, 'write')
  const userUid = input.userUid ?? viewer.uid
  const answers = parseInput(userAnswersForm, input.answers)
  return inTransaction(ctx, async (ctx) => {
    const userId = await personId(ctx, userUid, { lock: true })
    const questions = await readQuestions(ctx)
    const checked = checkAnswers(questions, answers)
    await removeAnswers(ctx, userId, checked)
    await writeAnswers(ctx, userId, checked)
    await projectFacets(ctx, { userUid })
    const { isAnswered } = await ctx.db
      .selectFrom('users')
      .select(hasAnsweredAll({ id: 'users.id', siteId: 'users.site_id' }).as('isAnswered'))
      .where('id', '=', userId)
      .executeTakeFirstOrThrow()
    return { allQuestionsAnswered: isAnswered }
  })
}

type Option = ProfileQuestion['options'][number] & { id: number }
type Question = Omit<ProfileQuestion, 'options'> & { id: number; options: Option[] }
type Checked = { questionId: number; optionIds: number[]; customAnswer: string | null }

async function readQuestions(ctx: Ctx): Promise<Question[]> {
  const questions = new Map<number, Question>()
  for (const row of await questionsQuery(ctx.db, ctx.site.id).execute()) {
    const { questionId, questionUid, questionText, type, isRequired, optionId, optionUid, optionText, ...flags } = row
    const option = { id: optionId, uid: optionUid, text: optionText, ...flags }
    const known = questions.get(questionId)
    if (known) known.options.push(option)
    else {
      questions.set(questionId, {
        id: questionId,
        uid: questionUid,
        text: questionText,
        type: type === 'multiple' ? 'multiple' : 'single',
        isRequired,
        options: [option],
      })
    }
  }
  return [...questions.values()]
}

/**
 * Returns the person's id. The optional lock makes simultaneous saves wait for each other, so that neither loses some
 * of its options.
 */
async function personId(ctx: Ctx, userUid: string, options: { lock?: boolean } = {}): Promise<number> {
  requireSelfOrAdmin(ctx, userUid)
  if (!isUid(userUid)) throw new NotFound()
  let query = ctx.db
    .selectFrom('users')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', userUid)
    .where('erased_at', 'is', null)
  if (options.lock) query = query.forNoKeyUpdate()
  const row = await query.executeTakeFirst()
  if (!row) throw new NotFound()
  return row.id
}

function checkAnswers(questions: Question[], answers: AnswerInput[]): Checked[] {
  const seen = new Set<string>()
  const checked = answers.map((answer) => {
    const question = questions.find(({ uid }) => uid === answer.question)
    if (!question) throw new Invalid('This question does not belong to the questionnaire.', {}, 'answers.question')
    const field = choiceField(question.uid)
    if (seen.has(question.uid)) throw refused(field, 'Each question can be answered once.')
    seen.add(question.uid)
    const chosen = [...new Set(chosenOf(answer))]
    if (question.type === 'single' && (answer.chosenOptions?.length || chosen.length > 1)) {
      throw refused(field, 'This question takes one answer.')
    }
    if (question.type === 'multiple' && answer.chosenOption) {
      throw refused(field, 'This question takes a list of answers.')
    }
    const options = chosen.map((uid) => question.options.find((option) => option.uid === uid))
    if (!options.every((option) => option !== undefined)) {
      throw refused(field, 'The chosen answer does not belong to this question.')
    }
    const takesText = takesCustomAnswer(question, answer)
    return {
      questionId: question.id,
      optionIds: options.map(({ id }) => id),
      customAnswer: takesText ? tidyLine(answer.customAnswer ?? '') : null,
    }
  })
  const errors = answerErrors(questions, answers)
  const [message] = Object.values(errors)
  if (message !== undefined) throw new Invalid(message, errors, 'answers.custom')
  return checked
}

function refused(field: string, message: string): Invalid {
  return new Invalid(message, { [field]: message }, 'answers.option')
}

async function removeAnswers(ctx: Ctx, userId: number, checked: Checked[]): Promise<void> {
  const gone = checked.filter(({ optionIds }) => optionIds.length === 0).map(({ questionId }) => questionId)
  if (gone.length === 0) return
  await ctx.db.deleteFrom('user_answers').where('user_id', '=', userId).where('question_id', 'in', gone).execute()
}

async function writeAnswers(ctx: Ctx, userId: number, checked: Checked[]): Promise<void> {
  const kept = checked.filter(({ optionIds }) => optionIds.length > 0)
  if (kept.length === 0) return
  const rows = await ctx.db
    .insertInto('user_answers')
    .values(
      kept.map(({ questionId, customAnswer }) => ({
        site_id: ctx.site.id,
        user_id: userId,
        question_id: questionId,
        custom_answer: customAnswer,
        updated_at: ctx.now,
      })),
    )
    .onConflict((oc) =>
      oc.columns(['user_id', 'question_id']).doUpdateSet((eb) => ({
        custom_answer: eb.ref('excluded.custom_answer'),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    )
    .returning(['id', 'question_id as questionId'])
    .execute()
  await ctx.db
    .deleteFrom('user_answer_options')
    .where(
      'answer_id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute()
  await ctx.db
    .insertInto('user_answer_options')
    .values(
      rows.flatMap(({ id, questionId }) =>
        (kept.find((answer) => answer.questionId === questionId)?.optionIds ?? []).map((optionId) => ({
          answer_id: id,
          question_id: questionId,
          option_id: optionId,
        })),
      ),
    )
    .execute()
}
