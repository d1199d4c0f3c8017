import { numberField } from './numbers.ts'

/** How long a module or course takes, in the author's words; null leaves it to the estimate. */
export const durationField = numberField({
  min: 1,
  max: 6000,
  unit: 'min',
  problem: 'Please enter the duration in whole minutes, from 1 to 6,000.',
})
