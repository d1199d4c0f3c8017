/**
 * How many items a learner's list shows before it pages. Cards fill whole rows with it, whether two, three or four
 * stand side by side.
 */
export const itemsPerPage = 24
