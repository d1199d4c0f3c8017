/** A page with the editor like a page of the console: the real form, schema, action and renderer. */
import { useActionData } from '@remix-run/react'
import { type RouteObject, redirect } from 'react-router-dom'
import { z } from 'zod'
import { ConsoleForm } from '~/components/console/console-form.tsx'
import { MarkdownField } from '~/components/console/markdown-field.tsx'
import { textField } from '~/forms/text.ts'
import { renderMarkdown } from '~/lib/markdown.ts'
import '~/styles/tailwind.css'

const schema = z.object({ text: textField({ max: 2000, required: 'Message text is required' }) })

export function routesFor(search: URLSearchParams): RouteObject[] {
  return [
    {
      id: 'root',
      path: '/',
      loader: () => ({ csrf: 'token', brand: {}, viewer: null }),
      element: <Page search={search} />,
      action: async ({ request }) => {
        const form = await request.formData()
        const text = String(form.get('text') ?? '')
        const values = { text }
        if (form.get('intent') === 'preview') {
          const previews = { text: renderMarkdown(text, { headingOffset: 2 }) }
          return { message: '', fieldErrors: {}, values, csrf: 'token', previews }
        }
        const parsed = schema.safeParse(values)
        if (text.includes('refuse')) {
          return { message: 'x', fieldErrors: { text: 'This word is refused' }, values, csrf: 'token' }
        }
        return parsed.success ? { saved: text } : redirect('/')
      },
    },
  ]
}

function Page({ search }: { search: URLSearchParams }) {
  const answer = useActionData() as { saved?: string } | undefined
  return (
    <main className="wrap" style={{ paddingBlock: '2rem', maxWidth: '60rem' }}>
      <h1>Message</h1>
      <ConsoleForm id="message" schema={schema} defaults={{ text: search.get('text') ?? '' }}>
        <MarkdownField
          name="text"
          label="Message text"
          hint="What people will read."
          placeholder="Write something"
          maxLength={2000}
          canUpload={search.has('upload')}
        />
        <p style={{ marginTop: '1rem' }}>
          <button className="btn btn--primary" type="submit" name="intent" value="save">
            Save
          </button>
        </p>
      </ConsoleForm>
      {answer?.saved !== undefined && <pre data-testid="saved">{answer.saved}</pre>}
    </main>
  )
}
