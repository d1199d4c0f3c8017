/** How much JavaScript the built pages of learners load. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { expect, test } from '@playwright/test'

const client = 'build/client'
const server = 'build/server'
/** Learners often use phones, so no page may load more than this in KiB, compressed. */
const most = 90

type Entry = { module: string; imports?: string[] }
type Manifest = { entry: Entry; routes: Record<string, Entry & { parentId?: string }> }

/** The manifest of the last build. Those of earlier builds stay beside it for a week (scripts/precompress.mjs). */
function readManifest(): Manifest {
  const files = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'))
  const address = files
    .map((file) => /\/assets\/manifest-[\w-]+\.js/.exec(readFileSync(path.join(server, file), 'utf8'))?.[0])
    .find(Boolean)
  const json = address && /=(\{.*\})/s.exec(readFileSync(client + address, 'utf8'))?.[1]
  if (!json) throw new Error('The build has no manifest.')
  return JSON.parse(json)
}

const sizes = new Map<string, number>()

function sizeOf(file: string): number {
  const known = sizes.get(file)
  if (known !== undefined) return known
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  const { length } = brotliCompressSync(readFileSync(client + file), { params })
  sizes.set(file, length)
  return length
}

test('no page for learners loads more than 90 KiB of JavaScript', () => {
  const { entry, routes } = readManifest()
  const pages = Object.keys(routes).filter((id) => /^routes\/(_learn|_public|_auth|viewer)\./.test(id))
  expect(pages.length).toBeGreaterThan(30)
  const tooLarge = pages.flatMap((id) => {
    const files = new Set([entry.module, ...(entry.imports ?? [])])
    for (let route = routes[id]; route; route = route.parentId === undefined ? undefined : routes[route.parentId]) {
      for (const file of [route.module, ...(route.imports ?? [])]) files.add(file)
    }
    const bytes = [...files].filter((file) => file.endsWith('.js')).reduce((sum, file) => sum + sizeOf(file), 0)
    return bytes > most * 1024 ? [`${id}: ${(bytes / 1024).toFixed(1)} KiB`] : []
  })
  expect(tooLarge).toEqual([])
})
