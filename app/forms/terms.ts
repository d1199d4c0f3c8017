/** The switch of an item whose texts show definitions of the glossary, in forms and in the history. */
export const showsTermsLabel = 'Show glossary definitions'
export const showsTermsHint = 'Learners see what a term means where its texts use it.'
