/** Uploads a package of 50 MB in three steps, and measures the time of each step and the growth of memory. */
import { randomBytes } from 'node:crypto'
import type { Product } from './product.ts'

export type UploadFigures = { postSeconds: number; completeSeconds: number; memoryGrowth: number }

const size = 50 * 1024 * 1024

/** `sessionId` belongs to an author. */
export async function measureUpload(product: Product, sessionId: string): Promise<UploadFigures> {
  const origin = `http://localhost:${product.port}`
  const cookie = `titrate_session=${sessionId}`
  const csrf = (await fetch(`${origin}/graphql/csrf/`, { headers: { cookie } })).headers.get('x-csrftoken') ?? ''
  const ask = async (path: string, body: object) => {
    const answer = await fetch(origin + path, {
      method: 'POST',
      headers: { cookie, 'x-csrftoken': csrf, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  const prepared = (await ask('/uploads/prepare/', { fileName: 'large.zip', fileType: 'cmi5_zip' })) as {
    id: string
    url: string
    fields: Record<string, string>
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(prepared.fields)) form.append(name, value)
  form.append('file', new Blob([new Uint8Array(randomBytes(size))]), 'large.zip')

  const before = product.memoryMegabytes()
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, product.memoryMegabytes())
  }, 50)
  try {
    const startedAt = performance.now()
    const posted = await fetch(origin + prepared.url, { method: 'POST', body: form })
    if (!posted.ok) throw new Error(`The post answered ${posted.status}: ${await posted.text()}`)
    const postedAt = performance.now()
    await ask(`/uploads/${prepared.id}/complete/`, {})
    const completedAt = performance.now()
    return {
      postSeconds: (postedAt - startedAt) / 1000,
      completeSeconds: (completedAt - postedAt) / 1000,
      memoryGrowth: peak - before,
    }
  } finally {
    clearInterval(watch)
  }
}
