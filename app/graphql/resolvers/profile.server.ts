import { type AnswerInput, choiceField, customField, type ProfileQuestion } from '~/forms/questionnaire-rules.ts'
import { listAccessPlans } from '~/services/access/plans.server.ts'
import type { ProfileUpdate } from '~/services/accounts/profile.server.ts'
import { type Ctx, isStaff, requireViewer } from '~/services/context.ts'
import { Invalid } from '~/services/errors.ts'
import { countUniversities, listUniversities } from '~/services/institutions/institutions.server.ts'
import { updateAnyUser } from '~/services/invitations/change-address.server.ts'
import {
  listProfileQuestions,
  listUserAnswers,
  saveUserAnswers,
  type UserAnswer,
} from '~/services/questionnaire/questionnaire.server.ts'
import { getUser } from '~/services/users/users.server.ts'
import { connection, type PageArguments } from '../connection.ts'
import type { GraphqlContext } from '../context.ts'
import { toGlobalId } from '../ids.ts'
import { relationTo, userNode, userUidOf } from './users.server.ts'

type UserUpdateInput = { data: { id: string } & Omit<ProfileUpdate, 'userUid'> }

export const profileResolvers = {
  Query: {
    profileQuestions: async (_: unknown, _input: unknown, { ctx }: GraphqlContext) =>
      (await listProfileQuestions(ctx)).map(questionNode),
    userQuestionnaireAnswers: async (_: unknown, input: { userUid: string }, { ctx }: GraphqlContext) => {
      const [answers, questions] = await Promise.all([listUserAnswers(ctx, input), listProfileQuestions(ctx)])
      return answerNodes(answers, questions)
    },
    accessPlans: (_: unknown, input: { publicOnly?: boolean | null }, { ctx }: GraphqlContext) => {
      const viewer = requireViewer(ctx)
      return listAccessPlans(ctx, { publicOnly: input.publicOnly !== false || !isStaff(viewer) })
    },
    universities: async (_: unknown, { first, after }: PageArguments, { ctx }: GraphqlContext) => {
      const { items, ...page } = await listUniversities(ctx, { first, after })
      const nodes = items.map((item) => ({ __typename: 'University', id: toGlobalId('University', item.uid), ...item }))
      return connection({ ...page, items: nodes }, () => countUniversities(ctx))
    },
  },
  User: {
    answers: async (user: { uid: string; email?: string }, _: unknown, { ctx, loaders }: GraphqlContext) => {
      if (user.email === undefined) return null
      const answers = await loaders.answers.load(user.uid)
      return answers ? answerNodes(answers, await questionsOf(ctx)) : []
    },
  },
  Mutation: {
    saveUserAnswers: (_: unknown, { data }: { data: AnswerInput[] }, { ctx }: GraphqlContext) =>
      withInputPaths(data, '', () => saveUserAnswers(ctx, { answers: data })),
    updateUser: async (_: unknown, { data: { id, ...changes } }: UserUpdateInput, { ctx }: GraphqlContext) => {
      const userUid = userUidOf(id)
      const { msg } = await withInputPaths(changes.answers ?? [], 'answers.', () =>
        updateAnyUser(ctx, { ...changes, userUid }),
      )
      return { user: userNode(await getUser(ctx, { userUid }), relationTo(ctx.viewer, userUid)), msg }
    },
  },
}

/** The questions are read once for all users of a page. */
const questionsOfRequest = new WeakMap<Ctx, Promise<ProfileQuestion[]>>()

function questionsOf(ctx: Ctx): Promise<ProfileQuestion[]> {
  const known = questionsOfRequest.get(ctx)
  if (known) return known
  const read = listProfileQuestions(ctx)
  questionsOfRequest.set(ctx, read)
  return read
}

function answerNodes(answers: UserAnswer[], questions: ProfileQuestion[]) {
  return answers.flatMap(({ uid, questionUid, optionUids, customAnswer }) => {
    const question = questions.find((candidate) => candidate.uid === questionUid)
    if (!question) return []
    const chosen = questionNode(question).options.filter((option) => optionUids.includes(option.uid))
    const isSingle = question.type === 'single'
    return {
      uid,
      question: questionNode(question),
      chosenOption: isSingle ? chosen[0] : null,
      chosenOptions: isSingle ? [] : chosen,
      customAnswer,
    }
  })
}

/** Renames the fields of an error: forms name an answer by its question, a program by its position in the input. */
async function withInputPaths<T>(answers: AnswerInput[], path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    const paths = new Map(
      answers.flatMap(({ question, chosenOptions }, index) => [
        [choiceField(question), `${path}${index}.${chosenOptions ? 'chosenOptions' : 'chosenOption'}`],
        [customField(question), `${path}${index}.customAnswer`],
      ]),
    )
    const fieldErrors = Object.entries(error.fieldErrors).map(([name, message]) => [paths.get(name) ?? name, message])
    throw new Invalid(error.message, Object.fromEntries(fieldErrors), error.code)
  }
}

function questionNode({ uid, text, type, isRequired, options }: ProfileQuestion) {
  return {
    uid,
    questionText: text,
    questionType: type,
    isRequired,
    options: options.map((option) => ({
      uid: option.uid,
      optionText: option.text,
      isDefault: option.isDefault,
      allowCustomAnswer: option.allowsCustomAnswer,
    })),
  }
}
