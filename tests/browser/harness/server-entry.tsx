import { renderToString } from 'react-dom/server'
import { createStaticHandler, createStaticRouter, StaticRouterProvider } from 'react-router-dom/server'
import { routesFor } from './page.tsx'

export async function renderPage(request: Request): Promise<string> {
  const handler = createStaticHandler(routesFor(new URL(request.url).searchParams))
  const context = await handler.query(request)
  if (context instanceof Response) throw new Error('The harness redirects nowhere.')
  return renderToString(
    <StaticRouterProvider router={createStaticRouter(handler.dataRoutes, context)} context={context} />,
  )
}
