import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { LearningRecord } from '~/components/learning/learning-record.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { formatDay } from '~/lib/dates.ts'
import { getOwnRecord, mostCompletions } from '~/services/progress/own-record.server.ts'
import { getUser } from '~/services/users/users.server.ts'

export const meta = pageTitle('My Record')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const [user, record] = await Promise.all([getUser(ctx, { userUid: ctx.viewer.uid }), getOwnRecord(ctx)])
  const day = (date: Date) => formatDay(date, ctx.site.timeZone)
  return {
    person: {
      name: `${user.firstName ?? ''} ${user.lastName ?? ''}`.trim(),
      email: user.email ?? '',
      institution: user.universityName,
    },
    issuedOn: day(ctx.now),
    most: record.isCut ? mostCompletions : null,
    courses: record.courses.map(({ name, completedAt }) => ({ name, completedOn: day(completedAt) })),
    modules: record.modules.map(({ name, completedAt, highestScore, failedTest }) => ({
      name,
      completedOn: day(completedAt),
      score: highestScore,
      failedTest,
    })),
  }
}

export default function MyRecord() {
  return <LearningRecord {...useLoaderData<typeof loader>()} />
}
