/** What the "Preview" button of rich text sends as `intent`. It shows the text and saves nothing, so nothing is checked. */
export const previewIntent = 'preview'
