import { numberField } from './numbers.ts'

/** The most minutes that a module or course may take. */
export const maxMinutes = 6000

/** The author's figure in minutes; null means that the estimate is shown. */
export const durationField = numberField({
  min: 1,
  max: maxMinutes,
  unit: 'min',
  problem: 'Please enter the duration in whole minutes, from 1 to 6,000.',
})
