/**
 * The mails about an account. Each says what it is about, until when its link works, and what to do if the reader did
 * not ask for it.
 */
import { brands } from '~/config/brands.ts'
import { formatMoment } from '~/lib/dates.ts'
import { encodeUid } from '~/lib/uid.ts'
import type { Site } from '../context.ts'
import { composeLetter } from '../mail/letter.ts'
import type { Mail } from '../mail/mail.server.ts'
import type { Token } from './tokens.server.ts'

export type Recipient = { uid: string; firstName: string; lastName: string; email: string }

export function resetLetter(site: Site, person: Recipient, token: Token): Mail {
  const { name, supportEmail } = brands[site.key]
  return composeLetter({
    site,
    to: toOf(person),
    subject: `Reset your ${name} password`,
    before: [
      `Somebody asked for a new password for your account at ${name}. If it was you, choose one here. You will be logged out everywhere, and your access tokens will be revoked.`,
    ],
    action: {
      label: 'Choose a new password',
      url: `${site.baseUrl}/reset-password/${encodeUid(person.uid)}/${token.token}/`,
    },
    after: [
      `The link works once and expires on ${momentOf(site, token.expiresAt)}.`,
      `If it was not you, you do not need to do anything: your password stays the same, and nobody can change it without this link. Do not share the link. If this keeps happening, write to ${supportEmail}.`,
    ],
  })
}

/**
 * For people who ask for a new password but have not opened their account: there is no password to reset, and the
 * invitation is not sent again automatically.
 */
export function notOpenYetLetter(site: Site, person: Recipient): Mail {
  const { name, supportEmail } = brands[site.key]
  return composeLetter({
    site,
    to: toOf(person),
    subject: `Your ${name} account is not open yet`,
    before: [
      `Somebody asked for a new password for your account at ${name}. Your account is not open yet, so there is no password to reset.`,
      `Open it with the link in the invitation that we sent you. If you cannot find it, or it has expired, write to ${supportEmail} and ask for a new one.`,
    ],
    after: ['If it was not you, you do not need to do anything.'],
  })
}

export function passwordChangedLetter(site: Site, person: Recipient, changedAt: Date): Mail {
  const { name, supportEmail } = brands[site.key]
  return composeLetter({
    site,
    to: toOf(person),
    subject: `Your ${name} password was changed`,
    before: [
      `The password of your account at ${name} was changed on ${momentOf(site, changedAt)}. You have been logged out everywhere else.`,
      'If it was you, you do not need to do anything.',
      `If it was not you, choose a new password now, which also revokes your access tokens, and write to ${supportEmail}.`,
    ],
    action: { label: 'Ask for a new password', url: `${site.baseUrl}/request-password-reset/` },
    after: [],
  })
}

export function tokenCreatedLetter(site: Site, person: Recipient, createdAt: Date): Mail {
  const { name, supportEmail } = brands[site.key]
  return composeLetter({
    site,
    to: toOf(person),
    subject: `An access token for your ${name} account was created`,
    before: [
      `On ${momentOf(site, createdAt)} an access token was created for your account at ${name}. With it, a program can act in your name until it expires or you revoke it.`,
      'If it was you, you do not need to do anything.',
      `If it was not you, somebody knows your password. Ask for a new one now: this also revokes every access token. Then write to ${supportEmail}.`,
    ],
    action: { label: 'Ask for a new password', url: `${site.baseUrl}/request-password-reset/` },
    after: [],
  })
}

type LinkUntil = { url: string; expiresAt: Date }

/** Sent to the address that an admin has entered. It may be a stranger's, so it does not tell the present one. */
export function confirmAddressLetter(site: Site, person: Recipient, { url, expiresAt }: LinkUntil): Mail {
  const { name, supportEmail } = brands[site.key]
  return composeLetter({
    site,
    to: toOf(person),
    subject: `Confirm your new email address for ${name}`,
    before: [
      `An admin of ${name} entered this email address for your account. If you confirm it, you log in with it from then on, and you are logged out everywhere.`,
    ],
    action: { label: 'Confirm this address', url },
    after: [
      `The link works until ${momentOf(site, expiresAt)}.`,
      `If you have no account at ${name}, or did not expect this, you do not need to do anything: nothing changes unless you confirm it. If you have questions, write to ${supportEmail}.`,
    ],
  })
}

/** Sent to the present address when an admin begins a change; does not reveal the new one. */
export function addressNoticeLetter(site: Site, person: Recipient, askedAt: Date, { url, expiresAt }: LinkUntil): Mail {
  const { name, supportEmail } = brands[site.key]
  return composeLetter({
    site,
    to: toOf(person),
    subject: `The email address of your ${name} account is to be changed`,
    before: [
      `On ${momentOf(site, askedAt)} an admin of ${name} entered another email address for your account. It becomes yours as soon as somebody confirms it with a link that was sent there.`,
      'If you asked for this, you do not need to do anything here.',
      'If not, keep this address. You can do so even after the other one has been confirmed.',
    ],
    action: { label: 'Keep this address', url },
    after: [`The link works until ${momentOf(site, expiresAt)}. After that, write to ${supportEmail}.`],
  })
}

/** Sent to the previous address; does not reveal the new one. With `objection`, the change can be undone. */
export function addressChangedLetter(
  site: Site,
  person: Recipient,
  changedAt: Date,
  objection: LinkUntil | null = null,
): Mail {
  const { name, supportEmail } = brands[site.key]
  return composeLetter({
    site,
    to: toOf(person),
    subject: `The email address of your ${name} account was changed`,
    before: [
      `On ${momentOf(site, changedAt)} the email address of your account at ${name} was changed. From now on you log in with the new address, and mails about your account go there.`,
      'If you changed it, or asked for it, you do not need to do anything.',
      objection
        ? 'If not, take this address back now: somebody else may be using your account.'
        : `If not, write to ${supportEmail} now, from this address: somebody else may be using your account.`,
    ],
    ...(objection && { action: { label: 'Take this address back', url: objection.url } }),
    after: objection
      ? [`The link works until ${momentOf(site, objection.expiresAt)}. After that, write to ${supportEmail}.`]
      : [],
  })
}

export function invitationLetter(
  site: Site,
  person: Recipient,
  token: Token,
  { isReminder = false }: { isReminder?: boolean } = {},
): Mail {
  const { name, supportEmail } = brands[site.key]
  return composeLetter({
    site,
    to: toOf(person),
    subject: isReminder ? `Reminder: your invitation to ${name}` : `Your invitation to ${name}`,
    before: [`You are invited to ${name}. Open your account by choosing a password.`],
    action: { label: 'Open your account', url: invitationLink(site, person.uid, token.token) },
    after: [
      `The link works once and expires on ${momentOf(site, token.expiresAt)}.${isReminder ? ' Links in earlier mails no longer work.' : ''}`,
      `If you did not expect this, you do not need to do anything: no account is opened unless you open it. If you have questions, write to ${supportEmail}.`,
    ],
  })
}

export function invitationLink(site: Site, userUid: string, token: string): string {
  return `${site.baseUrl}/confirm-invitation/${encodeUid(userUid)}/${token}/`
}

function toOf({ firstName, lastName, email }: Recipient) {
  return { firstName, lastName, address: email }
}

function momentOf(site: Site, at: Date): string {
  return `${formatMoment(at, site.timeZone)} (${site.timeZone})`
}
