/**
 * Limits of files that a job makes: how many one person and one site can have unfinished at once, how many a person can
 * keep, and for how many days.
 */
export const reportFileLimits = { page: 50, ofPerson: 2, waiting: 5, kept: 20, days: 7 } as const

/** Told to an admin who asks for the file of a long report. */
export const longReport = 'This report is long. We are preparing the file and will email you a link.'

/** Told to an admin who asks for a file that is gone, or that was never theirs. */
export const missingFile = 'This file is no longer there. Prepare it again.'

/** Told to an admin who asks for a file before the job has made it. */
export const unreadyFile = 'This file is not ready yet. We will email you when it is.'

/** The anchor of a file in the list, for the link of its mail. */
export function rowOfFile(uid: string): string {
  return `file-${uid}`
}
