import sharp from 'sharp'

/** A picture of one color in the recommended size. */
export function aPicture(): Promise<Buffer> {
  return sharp({ create: { width: 700, height: 394, channels: 3, background: '#0b6b66' } })
    .png()
    .toBuffer()
}
