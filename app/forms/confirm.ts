import { z } from 'zod'

/** The text to type to confirm a removal: exactly this, without trimming. */
export const confirmationWord = 'DELETE'

const refused = 'Please enter the confirmation text above'

export const confirmDeleteForm = z.object({
  confirmation: z.literal(confirmationWord, { errorMap: () => ({ message: refused }) }),
})
