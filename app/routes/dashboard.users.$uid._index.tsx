import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { UserProfileForm } from '~/components/console/users/user-profile.tsx'
import { updateFailed, userUpdated } from '~/forms/profile-rules.ts'
import { userFormId } from '~/forms/users.ts'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { sendMerged } from '~/http/merged-form.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { revisionIn, text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { keptInWords } from '~/pages/content-forms.server.ts'
import { getUserProfile } from '~/pages/user-dialog.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { inputsOf, saveUser, type UserState } from '~/services/users/save-user.server.ts'

export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return { user: await getUserProfile(ctx, { userUid: args.params.uid ?? '' }).catch(throwAsPage) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const userUid = args.params.uid ?? ''
  const list = tableSearch(new URL(args.request.url).search)
  return withForm(args, ctx, async (form) => {
    const field = (name: string) => text(form, name)
    const ticked = (name: string) => form.has(name)
    try {
      const saved = await saveUser(ctx, {
        userUid,
        revision: revisionIn(form),
        opened: field('opened'),
        firstName: field('firstName'),
        lastName: field('lastName'),
        university: field('university'),
        isLearner: ticked('isLearner'),
        isAdmin: ticked('isAdmin'),
        isInstructor: ticked('isInstructor'),
        isAuthor: ticked('isAuthor'),
        accessPlanUid: field('accessPlanUid'),
        subscriptionType: field('subscriptionType'),
        renewal: field('renewal'),
        duration: field('duration'),
        unit: field('unit'),
      })
      return redirectWithNotice(args, `/dashboard/users/${list}`, {
        kind: 'success',
        text: userUpdated + keptInWords(saved),
      })
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error
      const state = error.now.state as UserState
      form.set('opened', JSON.stringify(state))
      const { exchange } = args.context
      const formId = userFormId(userUid, error.now.revision)
      return sendMerged({ ctx, exchange, form }, error, { formId, valuesOf: (name) => inputsOf(name, state) })
    }
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, updateFailed)
}

export default function Profile() {
  return <UserProfileForm user={useLoaderData<typeof loader>().user} />
}
