/** The forms that change a tag of the site: its text, and which tag it is merged into. */
import { z } from 'zod'
import { longestTag } from './tags.ts'
import { textField } from './text.ts'
import { uidField } from './uids.ts'

/** `openedText` is the text when the form was opened. A tag that somebody has renamed since is not overwritten. */
export const renameTagForm = z.object({
  text: textField({ max: longestTag, required: 'Tag is required' }),
  openedText: z.string().max(200).optional(),
})

export const mergeTagForm = z.object({ into: uidField('Choose the tag to merge into') })
