import { notify } from './notices.ts'

/** Copies a link, and says whether it worked (C-261). */
export async function copyLink(link: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(link)
    notify({ kind: 'success', text: 'URL copied to clipboard' })
  } catch {
    notify({ kind: 'error', text: 'Error copying URL to clipboard.' })
  }
}
