/** What forms of the console say if the server does not answer; it is their routes’ client actions that say it. */
import { expect, test } from 'vitest'
import { clientAction as updateCourse } from '~/routes/dashboard.courses.$uid.tsx'
import { clientAction as deleteCourse } from '~/routes/dashboard.courses.$uid_.delete.tsx'
import { clientAction as publishCourse } from '~/routes/dashboard.courses.$uid_.publish.tsx'
import { clientAction as createCourse } from '~/routes/dashboard.courses.new.tsx'
import { clientAction as updateModule } from '~/routes/dashboard.modules.$uid.tsx'
import { clientAction as deleteModule } from '~/routes/dashboard.modules.$uid_.delete.tsx'
import { clientAction as publishModule } from '~/routes/dashboard.modules.$uid_.publish.tsx'
import { clientAction as createModule } from '~/routes/dashboard.modules.new.tsx'
import { clientAction as orderModules } from '~/routes/dashboard.modules-page.tsx'

// the sentences, each with the verb of its action.
test.each([
  [createCourse, 'save', 'Error saving course. Please try again later.'],
  [updateCourse, 'save', 'Error updating course. Please try again later.'],
  [publishCourse, 'publish', 'Error publishing course. Please try again later.'],
  [deleteCourse, 'delete', 'Error deleting course. Please try again later.'],
  [orderModules, 'save', 'Error updating Modules. Please try again later.'],
  [createModule, 'save', 'Error saving module. Please try again later.'],
  [updateModule, 'save', 'Error updating module. Please try again later.'],
  [publishModule, 'publish', 'Error publishing module. Please try again later.'],
  [publishModule, 'unpublish', 'Error unpublishing module. Please try again later.'],
  [deleteModule, 'delete', 'Error deleting module. Please try again later.'],
])('%o with the button %s says "%s", and what was typed stays', async (clientAction, intent, sentence) => {
  const body = new URLSearchParams({ name: 'Typed with care', intent })
  const request = new Request('http://localhost/dashboard/', { method: 'POST', body })
  const serverAction = () => Promise.reject(new TypeError('Failed to fetch'))
  const answer = (await clientAction({ request, serverAction, params: {} } as never)) as Response
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ message: sentence, values: { name: 'Typed with care' } })
})

test('A-246 the message of a server that refuses takes precedence over the sentence', async () => {
  const request = new Request('http://localhost/dashboard/', { method: 'POST', body: new URLSearchParams() })
  const refusal = { message: 'The first message', fieldErrors: {}, values: {} }
  expect(await createModule({ request, serverAction: async () => refusal, params: {} } as never)).toEqual(refusal)
})
