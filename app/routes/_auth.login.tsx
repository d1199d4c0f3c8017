import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect, replace } from '@remix-run/node'
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react'
import { unansweredRefusal, whenUnanswered } from '~/browser/failed-posts.ts'
import { unreachableText } from '~/browser/stay-on-page.ts'
import { LoginForm } from '~/components/accounts/login-form.tsx'
import { loginPageForm } from '~/forms/accounts.ts'
import { signInWithForm } from '~/http/auth.server.ts'
import { contextFor, landingOf } from '~/http/context.server.ts'
import { csrfToken } from '~/http/csrf.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { doKeptPress, findKeptPress } from '~/http/press.server.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { safeNext } from '~/lib/next-address.ts'
import { doubledCookieText } from '~/lib/notice.ts'
import type { Ctx } from '~/services/context.ts'
import { parseInput } from '~/services/input.ts'

export const meta = pageTitle('Log In', 'Log in with the email address of your invitation.')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await contextFor(args)
  const { searchParams } = new URL(args.request.url)
  const next = safeNext(searchParams.get('next'))
  if (ctx.viewer) throw redirect(next ?? landingOf(ctx.viewer.groups))
  const { exchange } = args.context
  return { next, notice: await noticeFor(ctx, exchange, searchParams, next), csrf: await csrfToken(ctx, exchange) }
}

/** Why this page appears instead of the one that the person asked for, if there is more to say than "log in". */
async function noticeFor(
  ctx: Ctx,
  exchange: Exchange,
  searchParams: URLSearchParams,
  next: string | null,
): Promise<string | null> {
  if (searchParams.has('cookie')) return doubledCookieText
  if (searchParams.has('ended')) {
    // A launch is not a kept press: its address starts the module again after signing in.
    const isLaunch = next?.startsWith('/modules/?launch=')
    const isKept = isLaunch || (await findKeptPress(ctx, exchange)) !== null
    return `Your session has ended. Log in to continue. ${
      isKept ? 'What you pressed will be done then.' : 'Your last change was not saved.'
    }`
  }
  // The cookie of a session ends with it. That of the browser stays, and says that somebody has logged in here before.
  const wasLoggedIn = (exchange.cookie('session') ?? exchange.cookie('browser')) !== null
  return next !== null && wasLoggedIn ? 'You are no longer logged in. Log in to continue.' : null
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await contextFor(args)
  const request = args.request.clone()
  return withForm(args, ctx, async (form) => {
    parseInput(loginPageForm, Object.fromEntries(form))
    const press = await findKeptPress(ctx, args.context.exchange)
    const account = await signInWithForm(ctx, request)
    // Replaces the form in the history, so that Back skips it.
    const page = safeNext(text(form, 'next')) ?? landingOf(account.groups)
    const notice = await doKeptPress(args.context.exchange, press, page)
    return notice ? redirectWithNotice(args, page, notice, { isReplacing: true }) : replace(page)
  })
}

export function clientAction({ serverAction }: ClientActionFunctionArgs) {
  return whenUnanswered(serverAction<typeof action>(), () => unansweredRefusal(unreachableText))
}

export default function Login() {
  const { csrf, ...page } = useLoaderData<typeof loader>()
  const answer = useActionData<typeof action>()
  return <LoginForm {...page} csrf={answer?.csrf || csrf} answer={answer} />
}
