/**
 * Draws the films of the home page and writes public/films/{film}-{palette}.mp4 and .webp (the picture that shows
 * before the film plays). Captions are written by hand beside them. Run it when a drawing changes:
 * `node tools/films/home/make.mjs [--stills] [film …]`. It needs Chromium (Playwright's, or CHROMIUM) and ffmpeg with
 * x264; the product needs neither.
 */
import sharp from 'sharp'
import { openStage, recordFilm } from '../record.mjs'
import * as deliver from './deliver.mjs'
import * as develop from './develop.mjs'
import * as discover from './discover.mjs'
import { fps, height, palettes, width } from './kit.mjs'
import * as welcome from './welcome.mjs'

const films = { welcome, discover, develop, deliver }
const codecs = {
  mp4: '-c:v libx264 -profile:v main -level 3.1 -pix_fmt yuv420p -crf 25 -tune animation -preset veryslow -g 100 -movflags +faststart',
}
const asked = process.argv.slice(2).filter((name) => name in films)
const isStillsOnly = process.argv.includes('--stills')

/** Crops a frame and leaves out its words: they would be too small to read on the page. */
function crop(svg, box) {
  if (!box) return svg
  return svg.replace(/viewBox="[^"]*"/, `viewBox="${box}"`).replace('>', '><style>text { display: none }</style>')
}

const stage = await openStage({ width, height })
for (const [name, film] of Object.entries(films)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  for (const [palette, { brand, spark, [name]: tone }] of Object.entries(palettes)) {
    const target = `public/films/${name}-${palette}`
    const draw = (time) => film.draw(time, { brand, ink: { ...tone, spark } })
    await sharp(await stage.show(crop(draw(film.still.time), film.still.box)))
      .webp({ quality: 82 })
      .toFile(`${target}.webp`)
    if (!isStillsOnly) await recordFilm(stage, { draw, fps, seconds: film.seconds, target, codecs })
    console.log(target)
  }
}
await stage.close()
