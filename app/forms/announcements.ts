import { z } from 'zod'
import { longestMarkdown } from '~/lib/markdown-limits.ts'
import { tidyText } from '~/lib/text.ts'
import { listField } from './lists.ts'
import { fileNameField } from './optional-fields.ts'
import { textField } from './text.ts'
import { uidField } from './uids.ts'

const mostRecipients = 10_000

/** A message on learners' home pages, with the limits of its fields. */
export const announcementForm = z.object({
  name: textField({ max: 250, required: 'Name is required' }),
  subject: textField({ max: 250, required: 'Subject is required' }),
  text: textField({ max: longestMarkdown, required: 'Message text is required', tidy: tidyText }),
  from: textField({ max: 200, required: 'Sender is required' }),
  attachment: fileNameField,
  userUids: listField(uidField('There is no such person'), {
    max: mostRecipients,
    tooMany: 'At most 10,000 recipients',
    required: 'Please choose at least one recipient',
  }),
})

export type AnnouncementValues = z.output<typeof announcementForm>
