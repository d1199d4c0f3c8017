/**
 * Draws the film of "Reading a Dose-Response Curve" and writes film.mp4, film.webm and film.png (the picture that shows
 * before it plays) beside the module. Run it by hand when the drawing changes:
 * `node tools/films/dose-response/make.mjs`. It needs Chromium (Playwright's, or CHROMIUM) and ffmpeg with x264 and
 * vpx; the product needs neither.
 */
import sharp from 'sharp'
import { openStage, recordFilm } from '../record.mjs'
import { drawFrame, fps, height, poster, seconds, width } from './frames.mjs'

const target = 'seed/modules/reading-a-dose-response-curve/film'
const codecs = {
  mp4: '-c:v libx264 -profile:v baseline -level 3.1 -pix_fmt yuv420p -crf 24 -preset veryslow -g 96 -movflags +faststart',
  webm: '-c:v libvpx-vp9 -pix_fmt yuv420p -b:v 0 -crf 38 -row-mt 1 -g 240',
}

const stage = await openStage({ width, height })
await sharp(await stage.show(drawFrame(poster)))
  .png({ palette: true })
  .toFile(`${target}.png`)
await recordFilm(stage, { draw: drawFrame, fps, seconds, target, codecs })
await stage.close()
