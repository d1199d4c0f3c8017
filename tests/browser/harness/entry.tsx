import { hydrateRoot } from 'react-dom/client'
import { createBrowserRouter, RouterProvider } from 'react-router-dom'
import { makeEditor } from '~/components/console/markdown/make-editor.ts'
import { routesFor } from './page.tsx'

declare global {
  interface Window {
    /** The text that the editor writes after the document was changed and then changed back without undo. */
    rewritten: (markdown: string) => Promise<{ untouched: string; rewritten: string }>
    __staticRouterHydrationData?: object
  }
}

const search = new URLSearchParams(location.search)
document.documentElement.dataset.brand = search.get('brand') ?? 'titrate'
const router = createBrowserRouter(routesFor(search), { hydrationData: window.__staticRouterHydrationData })
const page = document.getElementById('page')
if (page) hydrateRoot(page, <RouterProvider router={router} />)

window.rewritten = async (markdown) => {
  const root = document.createElement('div')
  document.body.append(root)
  const editor = await makeEditor({
    root,
    markdown,
    attributes: () => ({}),
    keys: {},
    uploads: { isAllowed: () => false, csrf: () => '', showNote: () => {} },
    onUpdate: () => {},
  })
  const untouched = editor.markdown()
  const { state } = editor.view
  const paragraph = state.schema.nodes.paragraph
  if (paragraph) {
    editor.view.dispatch(state.tr.insert(state.doc.content.size, paragraph.create(null, state.schema.text('the end'))))
  }
  const rewritten = editor.markdown()
  editor.end()
  root.remove()
  return { untouched, rewritten }
}
