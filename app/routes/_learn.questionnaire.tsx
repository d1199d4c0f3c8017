import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react'
import { useShell } from '~/components/layout/shell.ts'
import {
  allAnswered,
  type GateAnswer,
  QuestionnaireGate,
  someAnswered,
} from '~/components/questionnaire/questionnaire-gate.tsx'
import { unansweredRefusal, whenUnanswered } from '~/components/ui/unanswered.ts'
import { isDocumentPost, requireLearner } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { withForm } from '~/http/respond.server.ts'
import { safeNext } from '~/lib/next-address.ts'
import { readAnswers } from '~/lib/questionnaire.ts'
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
    const answers = readAnswers(form, await listProfileQuestions(ctx))
    const { allQuestionsAnswered } = await saveUserAnswers(ctx, { answers })
    // Without JavaScript the page that was asked for says it; with it, the dialog does and loads that page.
    if (allQuestionsAnswered && isDocumentPost(args)) {
      return redirectWithNotice(args, nextOf(args.request), { kind: 'success', text: 'Your answers have been saved.' })
    }
    return { saved: allQuestionsAnswered ? allAnswered : someAnswered } satisfies GateAnswer
  })
}

export function clientAction({ serverAction }: ClientActionFunctionArgs) {
  return whenUnanswered(serverAction<typeof action>(), () =>
    unansweredRefusal('Your answers could not be saved. Please check your connection and try again.'),
  )
}

/** What was saved is not read again: the dialog stays until the page that was asked for is loaded. */
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
