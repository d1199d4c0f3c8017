import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { readEml } from '../../../app/services/mail/eml.ts'
import type { Product } from './product.ts'

/** Waits for the latest link of this kind that the product has mailed to an address, and returns it. */
export async function mailedLink(product: Product, address: string, kind: string): Promise<string> {
  const folder = path.join(product.dataDir, 'outbox')
  for (let count = 0; count < 150; count++) {
    const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.'))
    for (const name of names.sort().reverse()) {
      const { headers, text } = readEml(await readFile(path.join(folder, name), 'utf8'))
      const link = text.split(/\s/).find((word) => word.includes(`/${kind}/`))
      if (link && headers.get('to')?.includes(`<${address}>`)) return link
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`No ${kind} was mailed to ${address}`)
}
