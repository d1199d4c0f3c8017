import { expect, test } from 'vitest'
import { aCommand } from '../support/command.ts'
import { aUser, openTestDatabase, testPassword } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'
import { tokenIn } from '../support/http.ts'
import { freePorts } from '../support/ports.ts'

/** Keeps one visitor's cookies. @remix-run/serve answers this visitor without our own server around it. */
function aVisitor(address: string) {
  const cookies = new Map<string, string>()
  return async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(new URL(path, address), {
      redirect: 'manual',
      ...init,
      headers: { ...init.headers, cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
    return answer
  }
}

test('npm run preview serves the pages with @remix-run/serve, and a learner can log in', async () => {
  const databaseUrl = await freshDatabase()
  const { db, close } = await openTestDatabase(databaseUrl)
  await aUser(db, { email: 'ada@titrate.example', groups: ['learners'] })
  await close()
  const [port = 0] = await freePorts(1)
  const preview = aCommand(process.execPath, ['scripts/run.mjs', 'preview'], {
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    SEED_DEMO: '0',
    LOG_LEVEL: 'silent',
  })
  await preview.says('[remix-serve]')
  const visit = aVisitor(`http://localhost:${port}`)

  expect((await visit('/home/')).headers.get('location')).toContain('/login/')
  const csrf = tokenIn(await (await visit('/login/')).text())
  const form = { csrf, username: 'ada@titrate.example', password: testPassword, terms: 'on', next: '', intent: 'login' }
  const headers = { Origin: `http://localhost:${port}` }
  const answer = await visit('/login/', { method: 'POST', body: new URLSearchParams(form), headers })
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/home/'])
  expect(await (await visit('/modules/')).text()).toContain('ada@titrate.example')
  expect((await visit('/modules.data')).status).toBe(200)
})
