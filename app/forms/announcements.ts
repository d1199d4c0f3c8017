import { z } from 'zod'
import { longestMarkdown } from '~/lib/markdown-limits.ts'
import { unknownPlaceholderProblem, unknownPlaceholders } from '~/lib/placeholders.ts'
import { tidyText } from '~/lib/text.ts'
import { oneOf } from './choices.ts'
import { momentField } from './dates.ts'
import { listField } from './lists.ts'
import { numberField } from './numbers.ts'
import { fileNameField } from './optional-fields.ts'
import { mostRecipients, noRecipients } from './recipients.ts'
import { rulesOf, type StepRule } from './steps.ts'
import { textField } from './text.ts'
import { uidField } from './uids.ts'

export const messageLimits = { name: 250, subject: 250, text: longestMarkdown, from: 200 } as const

export const deliveryTypes = ['dashboard', 'email'] as const
export type DeliveryType = (typeof deliveryTypes)[number]

export const deliveryLabels: Record<DeliveryType, string> = { dashboard: 'Learner dashboard', email: 'Email' }

/** What a message says, as services take it. */
export const messageForm = z.object({
  name: textField({ max: messageLimits.name, required: 'Name is required' }),
  subject: textField({ max: messageLimits.subject, required: 'Subject is required' }),
  text: textField({ max: messageLimits.text, required: 'Message text is required', tidy: tidyText }),
  deliveryType: oneOf(deliveryTypes, 'Please choose how the message is delivered'),
  from: textField({ max: messageLimits.from, required: 'Sender is required' }),
  attachment: fileNameField,
})
export type MessageValues = z.output<typeof messageForm>

export const messageFieldLabels: Record<keyof MessageValues, string> = {
  name: 'Name',
  subject: 'Subject',
  text: 'Message text',
  deliveryType: 'Delivery',
  from: 'Sender',
  attachment: 'Attachment',
}

/** What a test to oneself needs of a message. */
export const testForm = messageForm.pick({ subject: true, text: true, from: true, attachment: true })
export type TestValues = z.output<typeof testForm>

/** Ids and labels of the steps of the dialog (C-037). */
export const messageSteps = [
  {
    id: 'message',
    label: 'Create Message',
    fields: ['name', 'subject', 'text', 'deliveryType', 'from', 'attachment'],
    rule({ subject, text }: Record<string, unknown>, issues: z.RefinementCtx) {
      for (const [field, value] of Object.entries({ subject, text })) {
        const unknown = unknownPlaceholders(String(value))
        if (unknown.length > 0) {
          issues.addIssue({ code: 'custom', path: [field], message: unknownPlaceholderProblem(unknown) })
        }
      }
    },
  },
  { id: 'recipients', label: 'Select Recipients', fields: ['recipients'] },
  {
    id: 'review',
    label: 'Review and Send',
    fields: ['when', 'sendAt', 'notAfter'],
    rule({ when, sendAt, notAfter }: Record<string, unknown>, issues: z.RefinementCtx) {
      if (when !== 'later') {
        // Otherwise a time that somebody has entered would be ignored, and the message would go out at once.
        if (sendAt) issues.addIssue({ code: 'custom', path: ['sendAt'], message: messageTexts.timeWithoutChoice })
        return
      }
      if (!sendAt) issues.addIssue({ code: 'custom', path: ['sendAt'], message: 'Please choose a date and a time' })
      if (sendAt instanceof Date && notAfter instanceof Date && notAfter <= sendAt) {
        issues.addIssue({ code: 'custom', path: ['notAfter'], message: 'Please choose a time after “Send at”' })
      }
    },
  },
] as const satisfies readonly (StepRule & { label: string })[]

/** When a message is sent: now, or at a time of the site, but not after another one. */
function timeFields({ timeZone, now }: { timeZone: string; now: Date }) {
  return {
    when: oneOf(['now', 'later'], 'Please choose when the message is sent'),
    sendAt: momentField({ timeZone, min: now, max: new Date(now.getTime() + twoYearsMs) }),
    notAfter: momentField({ timeZone, min: now, max: new Date(now.getTime() + twoYearsMs) }),
  }
}
const twoYearsMs = 2 * 365 * 86_400_000

/** The form of the dialog. `recipients` is the number of the recipients, which a message needs only to be sent. */
export function messageStepsForm(at: { timeZone: string; now: Date }) {
  const recipients = numberField({ min: 1, max: 100_000_000, required: noRecipients, problem: noRecipients })
  return messageForm.extend({ recipients, ...timeFields(at) }).superRefine(rulesOf(messageSteps))
}

/** When a message is sent, as services take it. */
export function sendForm(at: { timeZone: string; now: Date }) {
  return z.object(timeFields(at)).superRefine((values, issues) => messageSteps[2].rule(values, issues))
}

/** The form's own texts (C-255 to C-257). */
export const messageTexts = {
  createFailure: 'Error saving message. Please try again later.',
  updateFailure: 'Error updating message. Please try again later.',
  deleteFailure: 'Error deleting message. Please try again later.',
  updated: 'Message has been updated.',
  created: (name: string) => `Message "${name}" has been created.`,
  deleted: (name: string) => `Message "${name}" has been deleted.`,
  timeWithoutChoice: 'Choose “Send it at this time”, or leave the time empty.',
}

/** The id of the dialog's form. It contains the revision, so that a form with another one begins anew. */
export function messageFormId(uid: string, revision: string | number): string {
  return `message-${uid}-${revision}`
}

/** A message on learners' home pages, with the limits of its fields. */
export const announcementForm = z.object({
  ...messageForm.omit({ deliveryType: true }).shape,
  userUids: listField(uidField('There is no such person'), {
    max: mostRecipients,
    tooMany: 'At most 10,000 recipients',
    required: noRecipients,
  }),
})

export type AnnouncementValues = z.output<typeof announcementForm>
