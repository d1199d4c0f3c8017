import { expect, test } from 'vitest'
import type { Viewer } from '~/services/context.ts'
import { Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import {
  isQuestionnaireOpen,
  listProfileQuestions,
  listUserAnswers,
  saveUserAnswers,
} from '~/services/questionnaire/questionnaire.server.ts'
import { seedReference } from '../../seed/reference.ts'
import { aContext, aUser, testAddresses } from '../support/context.ts'
import { answersTo, optionOf, questionNamed } from '../support/questionnaire.ts'
import { db } from '../support/test.ts'

async function someone(options: Parameters<typeof aUser>[1] = {}) {
  const viewer = await aUser(db, { isNew: true, ...options })
  const ctx = await aContext(db, { viewer, site: options.site ?? 'institutional' })
  return { viewer, ctx, questions: await listProfileQuestions(ctx) }
}

const facetsOf = (viewer: Viewer) =>
  db
    .selectFrom('user_facets')
    .select(['institution_type', 'position', 'research_type', 'modality', 'region', 'group_key'])
    .where('user_id', '=', viewer.id)
    .executeTakeFirst()

test('L-153 each site has its eight questions in order, and a second start adds none', async () => {
  await seedReference(db, testAddresses)
  for (const site of ['institutional', 'ns'] as const) {
    const { questions } = await someone({ site })
    expect(questions.map(({ text }) => text).slice(0, 5)).toEqual([
      'Institution or company',
      'Current position',
      'Type of research engaged in',
      'Modality your translational research focuses on',
      'Geographical region',
    ])
    expect(questions).toHaveLength(8)
    expect(new Set(questions.map(({ type }) => type))).toEqual(new Set(['single', 'multiple']))
    expect(questions.map(({ isRequired }) => isRequired)).toEqual([true, true, true, true, true, false, false, false])
  }
})

test('L-127 L-171 the required answers open the learner area; optional ones do not count, and admins are never asked', async () => {
  const { ctx, viewer, questions } = await someone()
  expect(await isQuestionnaireOpen(ctx)).toBe(true)
  const [first, ...others] = answersTo(questions.filter(({ isRequired }) => isRequired))
  expect(await saveUserAnswers(ctx, { answers: others })).toEqual({ allQuestionsAnswered: false })
  expect(await isQuestionnaireOpen(ctx)).toBe(true)
  expect(await saveUserAnswers(ctx, { answers: first ? [first] : [] })).toEqual({ allQuestionsAnswered: true })
  expect(await isQuestionnaireOpen(ctx)).toBe(false)
  expect(await listUserAnswers(ctx, { userUid: viewer.uid })).toHaveLength(5)
  const admin = await someone({ groups: ['admins'] })
  expect(await isQuestionnaireOpen(admin.ctx)).toBe(false)
})

test('an answer replaces the earlier one of its question only; without an option it is removed', async () => {
  const { ctx, viewer, questions } = await someone()
  await saveUserAnswers(ctx, { answers: answersTo(questions) })
  const position = questionNamed(questions, 'Current position')
  const steps = questionNamed(questions, /^Steps of drug development/)
  await saveUserAnswers(ctx, {
    answers: [
      { question: position.uid, chosenOption: optionOf(position, 'Staff') },
      { question: steps.uid, chosenOptions: steps.options.slice(0, 2).map(({ uid }) => uid) },
    ],
  })
  const answers = await listUserAnswers(ctx, { userUid: viewer.uid })
  expect(answers).toHaveLength(8)
  expect(answers.find(({ questionUid }) => questionUid === position.uid)?.optionUids).toEqual([
    optionOf(position, 'Staff'),
  ])
  expect(answers.find(({ questionUid }) => questionUid === steps.uid)?.optionUids).toHaveLength(2)
  await saveUserAnswers(ctx, { answers: [{ question: steps.uid, chosenOptions: [] }] })
  expect(await listUserAnswers(ctx, { userUid: viewer.uid })).toHaveLength(7)
})

test('C-133 C-134 C-137 facets follow the answers, prefer a custom text to its option, and the group follows the institution', async () => {
  const { ctx, viewer, questions } = await someone()
  const position = questionNamed(questions, 'Current position')
  await saveUserAnswers(ctx, {
    answers: [
      ...answersTo(questions.filter(({ uid }) => uid !== position.uid)),
      { question: position.uid, chosenOption: optionOf(position, 'Other'), customAnswer: '  Nurse  ' },
    ],
  })
  expect(await facetsOf(viewer)).toEqual({
    institution_type: 'Academia',
    position: 'Nurse',
    research_type: 'Basic research',
    modality: 'Therapeutic (small molecule or biologic)',
    region: 'Africa',
    group_key: 'external',
  })
})

test.each([
  [
    'an unknown question',
    () => [{ question: crypto.randomUUID(), chosenOption: crypto.randomUUID() }],
    /questionnaire/,
  ],
  ['a question that is not a uid', () => [{ question: "' or 1=1", chosenOption: null }], /questionnaire/],
  [
    'an option of another question',
    (q: Questions) => [{ question: q[0]?.uid ?? '', chosenOption: q[1]?.options[0]?.uid ?? '' }],
    /does not belong to this question/,
  ],
  [
    'two options of a single-choice question',
    (q: Questions) => [{ question: q[0]?.uid ?? '', chosenOptions: q[0]?.options.map(({ uid }) => uid) ?? [] }],
    /takes one answer/,
  ],
  [
    'one option of a multiple-choice question',
    (q: Questions) => [{ question: q[5]?.uid ?? '', chosenOption: q[5]?.options[0]?.uid ?? '' }],
    /takes a list/,
  ],
  [
    'a question that comes twice',
    (q: Questions) => [...answersTo(q.slice(0, 1)), ...answersTo(q.slice(0, 1))],
    /answered once/,
  ],
  [
    'no text where one is needed',
    (q: Questions) => [{ question: q[0]?.uid ?? '', chosenOption: q[0]?.options.at(-1)?.uid ?? '' }],
    /^Please enter your answer$/,
  ],
  [
    'blanks where a text is needed',
    (q: Questions) => [
      { question: q[0]?.uid ?? '', chosenOption: q[0]?.options.at(-1)?.uid ?? '', customAnswer: '   ' },
    ],
    /^Please enter a valid answer$/,
  ],
  [
    'a text that is too long',
    (q: Questions) => [
      { question: q[0]?.uid ?? '', chosenOption: q[0]?.options.at(-1)?.uid ?? '', customAnswer: 'x'.repeat(501) },
    ],
    /At most 500 characters/,
  ],
  [
    'a text that cannot be stored',
    (q: Questions) => [
      { question: q[0]?.uid ?? '', chosenOption: q[0]?.options.at(-1)?.uid ?? '', customAnswer: 'a\u0000b' },
    ],
    /cannot be stored/,
  ],
])('%s is refused with a message, and nothing else is saved', async (_name, wrongOf, message) => {
  const { ctx, viewer, questions } = await someone()
  const good = answersTo(questions.slice(2, 3))
  const work = saveUserAnswers(ctx, { answers: [...good, ...wrongOf(questions)] })
  await expect(work).rejects.toThrow(Invalid)
  await expect(work).rejects.toThrow(message)
  expect(await listUserAnswers(ctx, { userUid: viewer.uid })).toEqual([])
})

type Questions = Awaited<ReturnType<typeof listProfileQuestions>>

test('L-220 only admins of the site can read another person’s answers', async () => {
  const { viewer, questions } = await someone()
  const stranger = await someone()
  const admin = await someone({ groups: ['admins'] })
  const foreign = await someone({ site: 'ns', groups: ['admins'] })
  const input = { userUid: viewer.uid, answers: answersTo(questions) }
  await expect(saveUserAnswers(stranger.ctx, input)).rejects.toThrow(Forbidden)
  await expect(listUserAnswers(stranger.ctx, { userUid: viewer.uid })).rejects.toThrow(Forbidden)
  await expect(saveUserAnswers(await aContext(db), input)).rejects.toThrow('Login required.')
  await expect(listUserAnswers(foreign.ctx, { userUid: viewer.uid })).rejects.toThrow(NotFound)
  await expect(saveUserAnswers(foreign.ctx, input)).rejects.toThrow(NotFound)
  expect(await saveUserAnswers(admin.ctx, input)).toEqual({ allQuestionsAnswered: true })
  expect(await listUserAnswers(admin.ctx, { userUid: viewer.uid })).toHaveLength(8)
})

test('ten saves at once leave one complete answer to each question', async () => {
  const { ctx, viewer, questions } = await someone()
  const steps = questionNamed(questions, /^Steps of drug development/)
  const uids = steps.options.filter(({ allowsCustomAnswer }) => !allowsCustomAnswer).map(({ uid }) => uid)
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      saveUserAnswers(ctx, {
        answers: [
          ...answersTo(questions.slice(0, 5)),
          { question: steps.uid, chosenOptions: index % 2 ? uids.slice(0, 3) : uids.slice(3) },
        ],
      }),
    ),
  )
  const answers = await listUserAnswers(ctx, { userUid: viewer.uid })
  expect(answers).toHaveLength(6)
  expect([uids.slice(0, 3), uids.slice(3)]).toContainEqual(answers.at(-1)?.optionUids)
})
