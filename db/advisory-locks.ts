/**
 * The first numbers of all two-number advisory locks, kept in one place so that no two kinds of lock collide. Locks
 * with one number use the hash of a text that begins with their subject, or 7817001 (`reserve_stored` in the database).
 */
export const lockClasses = { completion: 7817002, forwarding: 7817003 }
