import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import {
  type ClientActionFunctionArgs,
  Link,
  useActionData,
  useLoaderData,
  useNavigate,
  useSearchParams,
} from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { whenFailed } from '~/browser/failed-posts.ts'
import { notify } from '~/browser/notices.ts'
import {
  type Profile,
  type ProfileAnswer,
  ProfileEdit,
  ProfileView,
  profileAddress,
} from '~/components/accounts/profile-panel.tsx'
import { useShell } from '~/components/layout/shell.ts'
import { Icon } from '~/components/ui/icon.tsx'
import { updateFailed, userUpdated } from '~/forms/profile-rules.ts'
import { readAnswers } from '~/forms/questionnaire-rules.ts'
import { isDocumentPost, requireLearner } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { updateUser } from '~/services/accounts/profile.server.ts'
import { isAdmin } from '~/services/context.ts'
import { listProfileQuestions, listUserAnswers } from '~/services/questionnaire/questionnaire.server.ts'
import { getUser } from '~/services/users/users.server.ts'

export async function loader(args: LoaderFunctionArgs): Promise<Profile> {
  const ctx = await requireLearner(args)
  const userUid = ctx.viewer.uid
  const asksAll = !isAdmin(ctx.viewer)
  const [user, questions, answers] = await Promise.all([
    getUser(ctx, { userUid }),
    asksAll ? listProfileQuestions(ctx) : [],
    asksAll ? listUserAnswers(ctx, { userUid }) : [],
  ])
  return {
    isAdmin: !asksAll,
    firstName: user.firstName ?? '',
    lastName: user.lastName ?? '',
    email: user.email ?? '',
    institution: user.universityName,
    questions,
    answers,
  }
}

/** Saves the form of the page and of the dialog. Fields that the form does not send stay unchanged. */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireLearner(args)
  return withForm(args, ctx, async (form) => {
    const sent = (name: string) => (form.has(name) ? String(form.get(name)) : undefined)
    await updateUser(ctx, {
      userUid: ctx.viewer.uid,
      firstName: sent('firstName'),
      lastName: sent('lastName'),
      email: sent('email'),
      currentPassword: sent('currentPassword'),
      answers: readAnswers(form, isAdmin(ctx.viewer) ? [] : await listProfileQuestions(ctx)),
    })
    if (isDocumentPost(args)) return redirectWithNotice(args, profileAddress, { kind: 'info', text: userUpdated })
    return { saved: userUpdated } satisfies ProfileAnswer
  })
}

export function clientAction({ serverAction }: ClientActionFunctionArgs) {
  return whenFailed(serverAction<typeof action>(), updateFailed)
}

export default function MyProfile() {
  const profile = useLoaderData<typeof loader>()
  const answer = useActionData<typeof action>() as ProfileAnswer | undefined
  const { csrf } = useShell()
  const navigate = useNavigate()
  const [params] = useSearchParams()
  const isEditing = params.has('edit') || (answer !== undefined && 'fieldErrors' in answer)
  const edit = useRef<HTMLAnchorElement>(null)
  const wasEditing = useRef(isEditing)
  useEffect(() => {
    if (wasEditing.current && !isEditing) edit.current?.focus()
    wasEditing.current = isEditing
  }, [isEditing])
  if (isEditing) {
    return (
      <div className="box box--form">
        <ProfileEdit
          profile={profile}
          csrf={csrf}
          answer={answer}
          isGuarded
          onSaved={(message) => {
            navigate(profileAddress)
            if (message) notify({ kind: 'info', text: message })
          }}
          cancel={
            <Link className="btn btn--secondary" to={profileAddress}>
              Cancel
            </Link>
          }
        />
      </div>
    )
  }
  return (
    <div className="box">
      <ProfileView profile={profile} />
      <p className="mt-6 flex flex-wrap gap-3">
        <Link className="btn btn--primary" to="?edit" ref={edit}>
          Edit
        </Link>
        <Link className="btn btn--quiet" to="/change-password/">
          <Icon name="key" />
          Change Password
        </Link>
      </p>
    </div>
  )
}
