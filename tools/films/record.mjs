/** Makes films from drawings: Chromium shows one SVG after another in our fonts, and ffmpeg encodes the pictures. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { chromium } from '@playwright/test'

const fonts = { Atkinson: 'atkinson-hyperlegible-next', STIX: 'stix-two-text' }

/** Opens a page of this size; `show` draws an SVG on it and returns the picture. */
export async function openStage(viewport) {
  const faces = await Promise.all(
    Object.entries(fonts).map(async ([family, file]) => {
      const font = await readFile(`public/fonts/${file}-latin-wght-normal.woff2`, 'base64')
      return `@font-face { font-family: ${family}; src: url(data:font/woff2;base64,${font}); font-weight: 200 800 }`
    }),
  )
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] })
  const page = await browser.newPage({ viewport })
  await page.setContent(
    `<style>${faces.join('\n')} body { margin: 0; font-family: Atkinson } svg { display: block }</style><body></body>`,
  )
  await page.evaluate((families) => {
    const all = families.flatMap((family) => [400, 500, 600].map((weight) => `${weight} 20px ${family}`))
    return Promise.all(all.map((face) => document.fonts.load(face)))
  }, Object.keys(fonts))
  const show = async (svg) => {
    await page.evaluate((markup) => {
      document.body.innerHTML = markup
    }, svg)
    return page.screenshot()
  }
  return { show, close: () => browser.close() }
}

/** Writes `target` once per codec, without sound. */
export async function recordFilm(stage, { draw, fps, seconds, target, codecs }) {
  const encoders = Object.entries(codecs).map(([extension, codec]) => {
    const input = `-f image2pipe -framerate ${fps} -c:v png -i -`
    const args = `-y -loglevel error ${input} ${codec} -an -map_metadata -1 ${target}.${extension}`
    return spawn('ffmpeg', args.split(' '), { stdio: ['pipe', 'inherit', 'inherit'] })
  })
  const ended = encoders.map((one) => once(one, 'close'))
  let last = ''
  let picture
  for (let frame = 0; frame < seconds * fps; frame++) {
    const svg = draw(frame / fps)
    if (svg !== last) {
      picture = await stage.show(svg)
      last = svg
    }
    for (const { stdin } of encoders) if (!stdin.write(picture)) await once(stdin, 'drain')
  }
  for (const { stdin } of encoders) stdin.end()
  await Promise.all(ended)
}
