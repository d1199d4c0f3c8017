/**
 * Draws the films of the demo's lectures and videos into public/films/{slug}-{palette}.mp4. Run it by hand when a
 * drawing changes: `node --import tsx tools/films/library/make.mjs [slug …]`. It needs Chromium (Playwright's, or
 * CHROMIUM) and ffmpeg with x264; the product needs neither. `--look` writes the last frame of each film as a PNG into
 * the given folder instead. A film of one site is drawn in the colors of that site only.
 *
 * The films are static files: an author enters the address of a film and cannot upload one, and static files are served
 * with ranges and caching like any other film on the web.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { chromium } from '@playwright/test'
import { brands } from '../../../app/config/brands.ts'
import { isOnSite } from '../../../seed/demo-parts.ts'
import { lectures, videos } from '../../../seed/film-library.ts'
import { drawFrame, height, inks, width } from './drawing.mjs'
import { scenes } from './scenes.mjs'

const fps = 10
const target = 'public/films'
const args = process.argv.slice(2)
const lookInto = args.includes('--look') ? args[args.indexOf('--look') + 1] : null
const chosen = args.filter((arg) => arg !== '--look' && arg !== lookInto)

const font = await readFile('public/fonts/atkinson-hyperlegible-next-latin-wght-normal.woff2', 'base64')
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width, height } })
await page.setContent(`<style>
@font-face { font-family: Atkinson; src: url(data:font/woff2;base64,${font}); font-weight: 200 800 }
body { margin: 0; font-family: Atkinson } svg { display: block }
</style><body></body>`)
await page.evaluate(() =>
  Promise.all([document.fonts.load('400 20px Atkinson'), document.fonts.load('600 20px Atkinson')]),
)
await mkdir(lookInto ?? target, { recursive: true })

for (const film of [...lectures, ...videos]) {
  if (chosen.length > 0 && !chosen.includes(film.slug)) continue
  const scene = scenes[film.slug](film.lines.map(([from]) => from))
  const title = film.name.replace(/^(Case Study|Expert Advice on [^:]+): /, '')
  for (const [site, { palette }] of Object.entries(brands)) {
    if (!isOnSite(film, site)) continue
    const frameAt = (time) => drawFrame(scene, title, time, inks[palette])
    if (lookInto) await writeFile(`${lookInto}/${film.slug}-${palette}.png`, await picture(frameAt(film.seconds)))
    else await encode(`${target}/${film.slug}-${palette}.mp4`, frameAt, film.seconds)
  }
}
await browser.close()

async function picture(svg) {
  await page.evaluate((markup) => {
    document.body.innerHTML = markup
  }, svg)
  return page.screenshot()
}

async function encode(file, frameAt, seconds) {
  const input = `-f image2pipe -framerate ${fps} -c:v png -i -`
  const codec =
    '-c:v libx264 -profile:v main -pix_fmt yuv420p -crf 27 -preset veryslow -tune animation -g 50 -movflags +faststart'
  const encoder = spawn('ffmpeg', `-y -loglevel error ${input} ${codec} -an -map_metadata -1 ${file}`.split(' '), {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const ended = once(encoder, 'close')
  let [last, shown] = ['', null]
  for (let frame = 0; frame < seconds * fps; frame++) {
    const svg = frameAt(frame / fps)
    if (svg !== last) [last, shown] = [svg, await picture(svg)]
    if (!encoder.stdin.write(shown)) await once(encoder.stdin, 'drain')
  }
  encoder.stdin.end()
  await ended
}
