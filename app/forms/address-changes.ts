import { z } from 'zod'
import { newEmail } from './users.ts'

/** The address that an admin enters for somebody else. */
export const changeAddressForm = z.object({ email: newEmail })

/** For how long the old address can object, and the new one can confirm. */
export const objectionDays = 7
