/**
 * The last step of the build. Writes .br and .gz files beside text files, compressed more strongly than a request could
 * wait for. Assets of earlier builds stay for seven days after they were replaced, since open pages still request them:
 * .data/assets keeps them with their compressed forms.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import zlib from 'node:zlib'

const CLIENT = 'build/client'
const ASSETS = path.join(CLIENT, 'assets')
const KEPT = path.join(process.env.DATA_DIR || '.data', 'assets')
const CURRENT = path.join(KEPT, 'current.json')
const KEEP_MS = 7 * 24 * 60 * 60 * 1000

const TEXT = /\.(js|mjs|css|html|svg|json|map|txt|xml|webmanifest|vtt|wasm)$/
const COMPRESSED = /\.(br|gz)$/
const SMALLEST = 1024
const AT_ONCE = 2

const brotli = promisify(zlib.brotliCompress)
const gzip = promisify(zlib.gzip)

await reuseCompressed()
await compressAll()
await keepAssets()

/** Asset names change with their content, so compressed files can be reused. */
async function reuseCompressed() {
  const names = new Set(await namesIn(ASSETS))
  for (const kept of await namesIn(KEPT)) {
    if (COMPRESSED.test(kept) && names.has(kept.replace(COMPRESSED, ''))) await copy(KEPT, ASSETS, kept)
  }
}

async function compressAll() {
  const entries = await fs.readdir(CLIENT, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && TEXT.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
  const takeOne = async () => {
    for (let file = files.pop(); file !== undefined; file = files.pop()) await compress(file)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, takeOne))
}

/** @param {string} file */
async function compress(file) {
  const content = await fs.readFile(file)
  if (content.length < SMALLEST || (await exists(`${file}.br`))) return
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_MAX_QUALITY } = zlib.constants
  const params = { [BROTLI_PARAM_QUALITY]: BROTLI_MAX_QUALITY, [BROTLI_PARAM_SIZE_HINT]: content.length }
  await fs.writeFile(`${file}.gz`, await gzip(content, { level: 9 }))
  await fs.writeFile(`${file}.br`, await brotli(content, { params }))
}

/** A kept file's time says until when it was current. For files of the last build, that is now. */
async function keepAssets() {
  await fs.mkdir(KEPT, { recursive: true })
  const now = new Date()
  const replaced = JSON.parse(await fs.readFile(CURRENT, 'utf8').catch(() => '[]'))
  for (const name of replaced) await fs.utimes(path.join(KEPT, name), now, now).catch(() => {})
  const current = await namesIn(ASSETS)
  const isCurrent = new Set(current)
  for (const name of await namesIn(KEPT)) {
    if (isCurrent.has(name) || name === path.basename(CURRENT)) continue
    const { mtime } = await fs.stat(path.join(KEPT, name))
    if (now.getTime() - mtime.getTime() > KEEP_MS) await fs.rm(path.join(KEPT, name))
    else await copy(KEPT, ASSETS, name)
  }
  for (const name of current) await copy(ASSETS, KEPT, name)
  await fs.writeFile(CURRENT, JSON.stringify(current))
}

/** @param {string} from @param {string} to @param {string} name */
async function copy(from, to, name) {
  await fs.copyFile(path.join(from, name), path.join(to, name))
}

/** @param {string} folder @returns {Promise<string[]>} */
async function namesIn(folder) {
  return fs.readdir(folder).catch(() => [])
}

/** @param {string} file */
function exists(file) {
  return fs.stat(file).then(
    () => true,
    () => false,
  )
}
