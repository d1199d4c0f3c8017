/** Names of the subscription types. */
export const subscriptionLabels: Record<string, string> = {
  subsidized: 'Subsidized',
  free: 'Free Access',
  paid: 'Paid Access',
}
