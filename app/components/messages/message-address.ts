/** The address of a learner's messages. */
export const messagesAddress = '/my-learning/my-messages/'

export function messageAddress(uid: string): string {
  return `${messagesAddress}${encodeURIComponent(uid)}/`
}

/** Returns the address that records a click and redirects to the link stored under this token. */
export function messageLinkAddress(uid: string, token: string): string {
  return `${messageAddress(uid)}link/${token}/`
}
