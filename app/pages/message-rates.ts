/** The rates of a message, as its details and a comparison show them (C-064 to C-066, C-276). */

export type Channel = 'email' | 'dashboard'
export type Rate = 'open' | 'click' | 'pin' | 'unread'

export const rateLabels: Record<Rate, string> = {
  open: 'Open',
  click: 'Click-Through',
  pin: 'Pin',
  unread: 'Unread',
}

/** What is known of each channel. Emails cannot be pinned. */
export const ratesOf = { email: ['open', 'click', 'unread'], dashboard: ['open', 'click', 'pin', 'unread'] } as const

export type RateFigures = {
  deliveryType: Channel
  total: number
  opened: number
  clicked: number
  pinned: number
  /** How many emails were sent with tracking. Nobody knows what became of the others. */
  tracked: number
}

/** How many of whom; null in the channel that was not used, and for emails of which none was tracked. */
export function figureOf(rate: Rate, channel: Channel, figures: RateFigures): { count: number; total: number } | null {
  const { deliveryType, total, opened, clicked, pinned, tracked } = figures
  if (deliveryType !== channel) return null
  if (channel === 'email' && total > 0 && tracked === 0 && opened === 0) return null
  const counts: Record<Rate, number> = { open: opened, click: clicked, pin: pinned, unread: total - opened }
  return { count: counts[rate], total }
}

/** A share between 0 and 1. Of nobody, it is 0. */
export function shareOf(figure: { count: number; total: number } | null): number | null {
  if (!figure) return null
  return figure.total === 0 ? 0 : figure.count / figure.total
}

/** "67%", or "N/A" without a share. */
export function shareInWords(share: number | null): string {
  return share === null ? 'N/A' : `${Math.round(share * 100)}%`
}
