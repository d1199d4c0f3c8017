import type { LoaderFunctionArgs } from '@remix-run/node'
import { isRouteErrorResponse, type MetaFunction, Outlet, useRouteError } from '@remix-run/react'
import { useContext } from 'react'
import { useErrorReport } from '~/browser/error-reports.ts'
import { revalidatesLayout } from '~/browser/layout-revalidation.ts'
import { KeptForm } from '~/components/console/kept-form.tsx'
import { ConsoleFrame } from '~/components/layout/console-frame.tsx'
import {
  AccessErrorPage,
  errorLabels,
  InternalErrorPage,
  kindOfError,
  NotFoundPage,
  noAccessText,
} from '~/components/layout/error-pages.tsx'
import { PageFrame } from '~/components/layout/page-frame.tsx'
import { documentContext, useShell } from '~/components/layout/shell.ts'
import { requireConsole } from '~/http/context.server.ts'
import { titleFrom } from '~/http/meta.ts'

export const meta: MetaFunction<typeof loader> = ({ matches, error }) =>
  titleFrom(matches, error ? errorLabels[kindOfError(error)] : 'Dashboard')

export async function loader(args: LoaderFunctionArgs) {
  await requireConsole(args)
  return null
}

export const shouldRevalidate = revalidatesLayout

export default function Console() {
  return (
    <ConsoleFrame shell={useShell()}>
      <Outlet />
    </ConsoleFrame>
  )
}

/** Keeps the navigation usable beside an area that failed. People who may not see the console see none of it. */
export function ErrorBoundary() {
  const error = useRouteError()
  useErrorReport(error)
  const kind = kindOfError(error)
  const shell = useShell()
  const { requestId } = useContext(documentContext)
  if (kind === 'signed-out' && isRouteErrorResponse(error)) {
    return (
      <PageFrame shell={shell}>
        <KeptForm form={error.data} />
      </PageFrame>
    )
  }
  if (!shell.viewer?.isStaff) {
    return (
      <PageFrame shell={shell}>
        {kind === 'internal' ? <InternalErrorPage error={error} requestId={requestId} /> : <AccessErrorPage />}
      </PageFrame>
    )
  }
  return (
    <ConsoleFrame shell={shell}>
      {kind === 'not-found' && <NotFoundPage brand={shell.brand} />}
      {kind === 'internal' && <InternalErrorPage error={error} requestId={requestId} />}
      {kind === 'access-error' && <AccessErrorPage />}
      {kind === 'no-access' && <h1>{noAccessText}</h1>}
    </ConsoleFrame>
  )
}
