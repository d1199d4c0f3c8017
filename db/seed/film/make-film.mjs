/**
 * Draws the film of "Reading a Dose-Response Curve" and writes film.mp4, film.webm and film.png (what is seen before it plays) beside
 * the module. Run by hand when the drawing changes: `node db/seed/film/make-film.mjs`. Needs Chromium (Playwright's, or CHROMIUM) and ffmpeg with x264 and vpx; the product
 * needs neither.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { chromium } from '@playwright/test'
import sharp from 'sharp'
import { drawFrame, fps, height, poster, seconds, width } from './frames.mjs'

const target = 'db/seed/modules/reading-a-dose-response-curve/film'
const codecs = {
  mp4: '-c:v libx264 -profile:v baseline -level 3.1 -pix_fmt yuv420p -crf 24 -preset veryslow -g 96 -movflags +faststart',
  webm: '-c:v libvpx-vp9 -pix_fmt yuv420p -b:v 0 -crf 38 -row-mt 1 -g 240',
}

function encoder(extension) {
  const input = `-f image2pipe -framerate ${fps} -c:v png -i -`
  const args = `-y -loglevel error ${input} ${codecs[extension]} -an -map_metadata -1 ${target}.${extension}`
  return spawn('ffmpeg', args.split(' '), { stdio: ['pipe', 'inherit', 'inherit'] })
}

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

const encoders = Object.keys(codecs).map(encoder)
const ended = encoders.map((one) => once(one, 'close'))
let last = ''
let picture
const show = async (svg) => {
  await page.evaluate((markup) => {
    document.body.innerHTML = markup
  }, svg)
  return page.screenshot()
}
await sharp(await show(drawFrame(poster)))
  .png({ palette: true })
  .toFile(`${target}.png`)
for (let frame = 0; frame < seconds * fps; frame++) {
  const svg = drawFrame(frame / fps)
  if (svg !== last) {
    picture = await show(svg)
    last = svg
  }
  for (const { stdin } of encoders) if (!stdin.write(picture)) await once(stdin, 'drain')
}
for (const { stdin } of encoders) stdin.end()
await Promise.all(ended)
await browser.close()
