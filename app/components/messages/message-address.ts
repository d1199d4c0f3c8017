/** Where a learner reads messages. */
export const messagesAddress = '/my-learning/my-messages/'

export function messageAddress(uid: string): string {
  return `${messagesAddress}${encodeURIComponent(uid)}/`
}

/** Records the click and leads on to the link that was stored under this token. */
export function messageLinkAddress(uid: string, token: string): string {
  return `${messageAddress(uid)}link/${token}/`
}
