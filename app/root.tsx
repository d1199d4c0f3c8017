import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node'
import {
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useLocation,
  useNavigation,
  useRouteError,
} from '@remix-run/react'
import { type ReactNode, useContext } from 'react'
import { useEarlyTyping } from '~/browser/early-typing.ts'
import { useErrorReport } from '~/browser/error-reports.ts'
import { LateScripts } from '~/browser/late-scripts.tsx'
import { revalidatesLayout } from '~/browser/layout-revalidation.ts'
import { useHistoryIndex } from '~/browser/stay-on-page.ts'
import { ownLearningOf } from '~/pages/own-learning.server.ts'
import { viewingBannerOf } from '~/pages/viewing-banner.server.ts'
import { AccessEndedNote } from './components/layout/access-ended.tsx'
import {
  AccessErrorPage,
  type ErrorKind,
  errorLabels,
  failureTexts,
  InternalErrorPage,
  kindOfError,
  NotFoundPage,
} from './components/layout/error-pages.tsx'
import { PageFrame } from './components/layout/page-frame.tsx'
import {
  documentContext,
  frames,
  type Shell,
  useKeptShell,
  useLastShell,
  useShell,
  useShellIfAny,
} from './components/layout/shell.ts'
import { useFullLoadsAfterRelease } from './components/layout/stale-build.ts'
import { usePageViews } from './components/media/use-page-views.ts'
import { useFocusOnNavigation, useMenus } from './components/ui/menus.ts'
import { Notices } from './components/ui/notices.tsx'
import { ProgressLine } from './components/ui/progress-line.tsx'
import type { Brand } from './config/brands.ts'
import { buildNumber } from './config/build.server.ts'
import { accessEndedAdvice } from './config/static-texts.ts'
import { brandOf, contextFor } from './http/context.server.ts'
import { csrfToken } from './http/csrf.server.ts'
import { takeNotice } from './http/flash.server.ts'
import { titleOf } from './http/meta.ts'
import { formatDay } from './lib/dates.ts'
import { doubledCookieText } from './lib/notice.ts'
import { initials } from './lib/text.ts'
import { isAdmin, isStaff } from './services/context.ts'
import { isOutboxUsed } from './services/mail/mail.server.ts'
import { getFrameFigures } from './services/read/own-learning.server.ts'
import './styles/tailwind.css'

const isConsolePath = (pathname: string) => pathname.startsWith('/dashboard/')

export const shouldRevalidate = revalidatesLayout

export const meta: MetaFunction<typeof loader> = ({ data, error }) => {
  if (!data) return []
  return [{ title: error ? titleOf(data.brand, errorLabels[kindOfError(error)]) : data.brand.name }]
}

export async function loader(args: LoaderFunctionArgs): Promise<Shell> {
  const ctx = await contextFor(args)
  const { viewer } = ctx
  const { exchange } = args.context
  const doubled = { id: exchange.requestId, kind: 'info', text: doubledCookieText } as const
  const shell = {
    brand: brandOf(ctx),
    build: buildNumber(),
    timeZone: ctx.site.timeZone,
    notice: exchange.isDoubled('session') ? doubled : await takeNotice(ctx, exchange),
  }
  if (!viewer) {
    return { ...shell, csrf: null, viewer: null, viewing: null, flags: [], unreadCount: 0, progressPercent: null }
  }
  const { firstName, email } = viewer
  const isConsole = isStaff(viewer) && isConsolePath(new URL(args.request.url).pathname)
  const [csrf, own] = await Promise.all([
    csrfToken(ctx, exchange),
    isConsole ? getFrameFigures(ctx).then((figures) => ({ ...figures, percent: null })) : ownLearningOf(ctx, exchange),
  ])
  return {
    ...shell,
    csrf,
    viewing: viewingBannerOf(ctx, { exchange, csrf }),
    viewer: {
      firstName,
      email,
      initials: initials(viewer),
      groups: viewer.groups,
      isAdmin: isAdmin(viewer),
      isStaff: isStaff(viewer),
      hasOutbox: isAdmin(viewer) && isOutboxUsed(),
      accessEnded: viewer.accessEndedAt && {
        on: formatDay(viewer.accessEndedAt, ctx.site.timeZone),
        advice: accessEndedAdvice,
      },
    },
    flags: own.flags,
    unreadCount: own.unreadCount,
    progressPercent: own.percent,
  }
}

export function Layout({ children }: { children: ReactNode }) {
  const { nonce, requestId, brand, palette, product, build, eventPath } = useContext(documentContext)
  const shell = useShellIfAny()
  const error = useRouteError()
  return (
    <html
      lang="en"
      data-brand={palette}
      data-product={product}
      data-request={requestId}
      data-build={build}
      data-event-path={eventPath}
      data-whole-brand={shell ? undefined : JSON.stringify(brand)}
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {!shell && <title>{titleOf({ name: product }, errorLabels[kindOfError(error)])}</title>}
        <Meta />
        <link rel="icon" type="image/svg+xml" href={`/brand/${palette}.svg`} />
        {['stix-two-text', 'atkinson-hyperlegible-next'].map((font) => (
          <link
            key={font}
            rel="preload"
            as="font"
            type="font/woff2"
            crossOrigin="anonymous"
            href={`/fonts/${font}-latin-wght-normal.woff2`}
          />
        ))}
        <Links />
      </head>
      <body>
        {children}
        <ScrollRestoration nonce={nonce} />
        <Scripts nonce={nonce} />
        <LateScripts nonce={nonce} />
      </body>
    </html>
  )
}

export default function App() {
  useEarlyTyping()
  useMenus()
  useFocusOnNavigation()
  usePageViews()
  useFullLoadsAfterRelease()
  useHistoryIndex()
  const isLoading = useNavigation().state !== 'idle'
  const shell = useShell()
  useKeptShell(shell)
  const { notice, csrf, viewer } = shell
  return (
    <>
      <Notices flash={notice} csrf={csrf} owner={viewer?.email ?? ''} />
      {isLoading && <ProgressLine />}
      <Outlet />
      <Viewing shell={shell} />
    </>
  )
}

/**
 * At the bottom of every page, and always in sight, while an admin sees the site as somebody else. The HTML is safe here:
 * pages/viewing-banner.server.ts makes it and escapes the name, which is the only text in it that people have typed.
 */
function Viewing({ shell: { viewing } }: { shell: Shell }) {
  return viewing && <div className="sticky bottom-0 z-40" dangerouslySetInnerHTML={{ __html: viewing.html }} />
}

/**
 * Makes the frame of a page after an action threw and no loader's data is left: a visitor's frame, in the brand of the
 * document. Only such a document holds the whole brand, so that no page loads all of them.
 */
function shellOfDocument(kind: ErrorKind, brand: Brand | undefined): Shell | undefined {
  if (!brand || kind === 'internal') return undefined
  const visitor = {
    csrf: null,
    notice: null,
    viewer: null,
    viewing: null,
    flags: [],
    unreadCount: 0,
    progressPercent: null,
  }
  return { brand, build: '', timeZone: 'UTC', ...visitor }
}

export function ErrorBoundary() {
  useEarlyTyping()
  useMenus()
  const error = useRouteError()
  useErrorReport(error)
  const kind = kindOfError(error)
  const { requestId, brand } = useContext(documentContext)
  const last = useLastShell()
  const { pathname } = useLocation()
  const shell = useShellIfAny() ?? last ?? shellOfDocument(kind, brand)
  if (!shell) {
    const { heading, text } = failureTexts(error)
    return (
      <main id="main" className="wrap lost">
        <h1>{heading}</h1>
        <p className="lead">{text}</p>
        {requestId && <p className="muted small">Request: {requestId}</p>}
      </main>
    )
  }
  const isConsole = isConsolePath(pathname) && shell.viewer?.isStaff
  const Frame = (isConsole && frames.console) || PageFrame
  return (
    <>
      <Frame shell={shell}>
        {kind === 'not-found' && <AccessEndedNote shell={shell} />}
        {kind === 'not-found' && <NotFoundPage brand={shell.brand} />}
        {(kind === 'access-error' || kind === 'no-access') && <AccessErrorPage />}
        {kind === 'internal' && <InternalErrorPage error={error} requestId={requestId} />}
      </Frame>
      <Viewing shell={shell} />
    </>
  )
}
