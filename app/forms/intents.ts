/** What the "Preview" button of rich text sends as `intent`. It shows the text and saves nothing, so nothing is checked. */
export const previewIntent = 'preview'

/** Shows the film of a form as learners would see it, and the way back from there. Nothing is checked or saved. */
export const watchIntent = 'watch'
export const exitIntent = 'exit'

/** Sends the message of a form to its author, to see it in their own mailbox. The server checks it. */
export const testIntent = 'test'

/** Goes on with what was typed into a message that was sent meanwhile, as a new message. */
export const goOnIntent = 'go-on'

/** Makes a scheduled message a draft again. What is typed in its form stays. */
export const unscheduleIntent = 'unschedule'
