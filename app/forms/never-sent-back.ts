/** Fields whose values a refusal never sends back. */
export const neverSentBack = /password|token|csrf/i
