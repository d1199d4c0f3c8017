/** The first numbers of all advisory locks that have two, so that no two things ever wait for one another by chance. Those of
 * one number are the hash of a text that begins with what they are about, and 7817001, `reserve_stored` in the database. */
export const lockClasses = { completion: 7817002, forwarding: 7817003 }
