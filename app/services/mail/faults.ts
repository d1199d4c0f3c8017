/**
 * Says by the words of a mail server whose fault a refusal is. A sender that is refused (5.1.7, 5.1.8), a full mailbox
 * (5.2.2), a mail that is too large (5.2.3, 5.3.4) or unreadable (5.6), and a policy against us (5.7) are no fault of the
 * address. RFC 3463 lists the codes.
 */
const otherFaults = /\b5\.(?:1\.[78]|2\.[23]|3\.4|[67]\.\d{1,3})\b/
/** A code of SMTP or of RFC 3463 that says "never". */
const permanent = /^\s*(?:5\d\d\b|5\.\d{1,3}\.\d{1,3}\b)/

export function isOtherFault(words: string): boolean {
  return otherFaults.test(words)
}

/** True if the address can never be reached. */
export function isFaultOfAddress(words: string): boolean {
  return permanent.test(words) && !isOtherFault(words)
}
