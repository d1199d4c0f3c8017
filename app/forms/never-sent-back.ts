/** Fields whose values no refusal gives back. */
export const neverSentBack = /password|token|csrf/i
