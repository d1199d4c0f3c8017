/** What a subscription's type is called. */
export const subscriptionLabels: Record<string, string> = {
  subsidized: 'Subsidized',
  free: 'Free Access',
  paid: 'Paid Access',
}
