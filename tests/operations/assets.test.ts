import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import zlib from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'

const DAY = 24 * 60 * 60 * 1000
const LONG = 'export const answer = 42\n'.repeat(100)

function aProject() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'titrate-assets-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const at = (...names: string[]) => path.join(folder, ...names)
  const build = (assets: Record<string, string>) => {
    rmSync(at('build'), { recursive: true, force: true })
    mkdirSync(at('build/client/assets'), { recursive: true })
    for (const [name, content] of Object.entries(assets)) writeFileSync(at('build/client/assets', name), content)
    const { status, stderr } = spawnSync(process.execPath, [path.resolve('scripts/precompress.mjs')], {
      cwd: folder,
      env: { PATH: process.env.PATH, NODE_ENV: 'production' },
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(status).toBe(0)
  }
  return { at, build, served: () => readdirSync(at('build/client/assets')).sort() }
}

test('long text files have a compressed copy, short and binary ones do not', () => {
  const { at, build, served } = aProject()
  build({ 'a-1.js': LONG, 'short-1.js': 'x', 'photo-1.webp': LONG })
  expect(served()).toEqual(['a-1.js', 'a-1.js.br', 'a-1.js.gz', 'photo-1.webp', 'short-1.js'])
  expect(zlib.brotliDecompressSync(readFileSync(at('build/client/assets/a-1.js.br'))).toString()).toBe(LONG)
  expect(zlib.gunzipSync(readFileSync(at('build/client/assets/a-1.js.gz'))).toString()).toBe(LONG)
})

test('replaced assets stay for seven days after the replacement, however old their build is', () => {
  const { at, build, served } = aProject()
  const age = (name: string, days: number) => {
    const then = new Date(Date.now() - days * DAY)
    for (const file of [name, `${name}.br`, `${name}.gz`]) utimesSync(at('.data/assets', file), then, then)
  }
  build({ 'a-1.js': LONG })
  age('a-1.js', 30) // it belonged to the running build until now
  build({ 'a-2.js': LONG })
  expect(served()).toEqual(['a-1.js', 'a-1.js.br', 'a-1.js.gz', 'a-2.js', 'a-2.js.br', 'a-2.js.gz'])
  age('a-1.js', 6)
  build({ 'a-3.js': LONG })
  expect(served()).toContain('a-1.js')
  age('a-1.js', 8)
  build({ 'a-4.js': LONG })
  expect(served().filter((name) => name.startsWith('a-1'))).toEqual([])
  expect(served()).toContain('a-2.js.br')
  expect(existsSync(at('.data/assets/a-1.js'))).toBe(false)
})
