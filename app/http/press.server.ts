/**
 * Keeps what a person pressed after the session had ended, and does it after signing in again. Only Save buttons are
 * kept: they can be undone with one press, and hold nothing that was typed.
 */

import type { Notice } from '~/lib/notice.ts'
import { ServiceError } from '~/services/errors.ts'
import { setFavorite } from '~/services/favorites/favorites.server.ts'
import { contextOf } from './context.server.ts'
import type { Exchange } from './exchange.server.ts'

const seconds = 10 * 60
/** `add.module:{uid}.{page}`: what was pressed, and the path of the page that it was on. */
const kept = /^(add|remove)\.(module|course|video|lecture):([0-9a-f-]{36})\.(\/.*)$/

export function keepPress(exchange: Exchange, form: FormData, page: string): void {
  const [name = '', thing] = [...form].find(([name]) => name === 'add' || name === 'remove') ?? []
  const value = `${name}.${thing}.${page}`
  if (value.length < 1000 && kept.test(value)) exchange.setCookie('press', value, { maxAge: seconds })
}

export function isPressKept(exchange: Exchange): boolean {
  return kept.test(exchange.cookie('press') ?? '')
}

/**
 * Does what was kept, if the person who has just signed in goes on to the page on which it was pressed. Returns the
 * notice about it.
 */
export async function doKeptPress(exchange: Exchange, page: string): Promise<Omit<Notice, 'id'> | null> {
  const value = exchange.cookie('press')
  if (value === null) return null
  exchange.clearCookie('press')
  const [, name, studyUnitType, uid = '', from] = kept.exec(value) ?? []
  if (from === undefined || from !== page.split('#', 1)[0]) return null
  const isAdded = name === 'add'
  try {
    const action = isAdded ? 'ADD' : 'REMOVE'
    await setFavorite(await contextOf(exchange), { action, studyUnitType: studyUnitType as 'module', uid })
    return { kind: 'success', text: savedText(isAdded) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { kind: 'error', text: error.message }
  }
}

export function savedText(isAdded: boolean): string {
  return isAdded ? 'Saved. You can find it in My Learning.' : 'Removed from Saved.'
}
