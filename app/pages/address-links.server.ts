/** The pages of the links that are mailed when an admin changes an address. */
import { data } from '@remix-run/node'
import type { Exchange } from '~/http/exchange.server.ts'
import type { AddressChangeState, LinkedChange } from '~/services/accounts/address-links.server.ts'
import { invalidAddressLink } from '~/services/accounts/address-links.server.ts'
import { Unavailable } from '~/services/errors.ts'

/** `isOpen` while the button can be pressed. `message` says what came of the change otherwise. */
export type AddressLinkPage = {
  isOpen: boolean
  email: string | null
  isGood: boolean
  /** The password no longer works: the page leads to a new one. */
  needsPassword: boolean
  message: string
}

type Sentences = Record<AddressChangeState, { isOpen?: true; isGood?: true; needsPassword?: true; message: string }>

const late = 'The seven days for this change are over. Please write to support if something is wrong with your account.'
const canceled = 'This change was canceled. Your account is as it was before.'

export const confirmSentences: Sentences = {
  waiting: { isOpen: true, message: '' },
  confirmed: { isGood: true, message: 'This is the email address of your account now. You can log in with it.' },
  kept: { message: 'The address from before was kept, so this one cannot be used.' },
  restored: { message: 'The change was undone: the account has the address from before again.' },
  canceled: { message: canceled },
  late: { message: late },
}

export const keepSentences: Sentences = {
  waiting: { isOpen: true, message: '' },
  confirmed: { isOpen: true, message: '' },
  kept: { isGood: true, message: 'Your account keeps this email address. The change was canceled.' },
  restored: {
    isGood: true,
    needsPassword: true,
    message:
      'Your account has this email address again. You were logged out everywhere, and your password no longer works: a link to choose a new one was sent to this address.',
  },
  canceled: { message: 'There is nothing to object to anymore: this change was ended.' },
  late: { message: late },
}

export function addressPageOf({ state, email }: LinkedChange, sentences: Sentences): AddressLinkPage {
  const { isOpen = false, isGood = false, needsPassword = false, message } = sentences[state]
  return { isOpen, isGood, needsPassword, message, email }
}

/** Opens a link: its page, or an explanation with 404, or with 429 if somebody is guessing links. */
export async function openAddressLink(exchange: Exchange, find: Promise<LinkedChange | null>, sentences: Sentences) {
  const wrong = (message: string, status: number) =>
    data<AddressLinkPage>({ isOpen: false, isGood: false, needsPassword: false, message, email: null }, { status })
  try {
    const change = await find
    return change ? data(addressPageOf(change, sentences)) : wrong(invalidAddressLink, 404)
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    exchange.setHeader('Retry-After', String(error.retryAfter))
    return wrong(error.message, 429)
  }
}
