/** What a subscription's type is called (learner area, section 1). */
export const subscriptionLabels: Record<string, string> = {
  subsidized: 'Subsidized',
  free: 'Free Access',
  paid: 'Paid Access',
}
