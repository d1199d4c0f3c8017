import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react'
import { unansweredRefusal, whenUnanswered } from '~/browser/failed-posts.ts'
import { useShell } from '~/components/layout/shell.ts'
import {
  allAnswered,
  answerMissing,
  type GateAnswer,
  QuestionnaireGate,
  someAnswered,
} from '~/components/questionnaire/questionnaire-gate.tsx'
import { choiceField, hasChosenAny, nothingChosen, readAnswers } from '~/forms/questionnaire-rules.ts'
import { isDocumentPost, requireLearner } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { withForm } from '~/http/respond.server.ts'
import { safeNext } from '~/lib/next-address.ts'
import {
  isQuestionnaireOpen,
  listProfileQuestions,
  listUserAnswers,
  saveUserAnswers,
} from '~/services/questionnaire/questionnaire.server.ts'

export const meta = pageTitle('Questionnaire')

function nextOf(request: Request): string {
  return safeNext(new URL(request.url).searchParams.get('next')) ?? '/home/'
}

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args, { isGated: false })
  const next = nextOf(args.request)
  if (!(await isQuestionnaireOpen(ctx))) throw redirect(next)
  const [questions, answers] = await Promise.all([
    listProfileQuestions(ctx),
    listUserAnswers(ctx, { userUid: ctx.viewer.uid }),
  ])
  return { questions, answers, next, firstName: ctx.viewer.firstName.trim() }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireLearner(args, { isGated: false })
  return withForm(args, ctx, async (form) => {
    // If another tab has answered meanwhile, this tab's empty fields must not erase those answers.
    if (!(await isQuestionnaireOpen(ctx))) {
      if (isDocumentPost(args)) return redirect(nextOf(args.request))
      return { saved: allAnswered } satisfies GateAnswer
    }
    const questions = await listProfileQuestions(ctx)
    const answers = readAnswers(form, questions)
    const { allQuestionsAnswered } = await saveUserAnswers(ctx, { answers })
    // Without JavaScript the requested page shows the notice. With it, the dialog shows it and loads that page.
    if (allQuestionsAnswered && isDocumentPost(args)) {
      return redirectWithNotice(args, nextOf(args.request), { kind: 'success', text: 'Your answers have been saved.' })
    }
    if (allQuestionsAnswered) return { saved: allAnswered } satisfies GateAnswer
    const answered = (await listUserAnswers(ctx, { userUid: ctx.viewer.uid })).map(({ questionUid }) => questionUid)
    const missing = questions.filter(({ uid, isRequired }) => isRequired && !answered.includes(uid))
    const open = Object.fromEntries(missing.map(({ uid }) => [choiceField(uid), answerMissing]))
    if (!hasChosenAny(answers)) return { unsaved: nothingChosen, open } satisfies GateAnswer
    return { saved: someAnswered, open } satisfies GateAnswer
  })
}

export function clientAction({ serverAction }: ClientActionFunctionArgs) {
  return whenUnanswered(serverAction<typeof action>(), () =>
    unansweredRefusal('Your answers could not be saved. Please check your connection and try again.'),
  )
}

/** Skips reading the saved answers: the dialog stays until the requested page is loaded. */
export function shouldRevalidate(): boolean {
  return false
}

export default function Questionnaire() {
  const { csrf } = useShell()
  const answer = useActionData<typeof action>()
  return (
    <div className="wrap gate-page">
      <QuestionnaireGate {...useLoaderData<typeof loader>()} csrf={csrf} answer={answer as GateAnswer | undefined} />
    </div>
  )
}
