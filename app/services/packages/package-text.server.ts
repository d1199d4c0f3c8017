/** What a learner can read in a package, for search. */

import { cutText } from '~/lib/text.ts'
import { textOfHtml } from './html-text.ts'
import type { PackageZip } from './zip.server.ts'

/** Of one package. */
const mostCharacters = 200_000
/** Pages beyond this are made by machines; they and whatever comes after so many bytes are left out. */
const mostBytesOfPage = 2_000_000
const mostBytes = 20_000_000

/** Of all pages, in the order of their paths. */
export async function textOfZip(zip: PackageZip): Promise<string> {
  const pages = zip.entries
    .filter((entry) => /\.x?html?$/i.test(entry.path) && entry.size <= mostBytesOfPage)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  const texts: string[] = []
  let characters = 0
  let bytes = 0
  for (const page of pages) {
    bytes += page.size
    if (bytes > mostBytes || characters >= mostCharacters) break
    const text = textOfHtml((await zip.read(page, mostBytesOfPage)).toString('utf8'))
    characters += text.length
    texts.push(text)
  }
  return cutText(texts.join('\n'), mostCharacters)
}
