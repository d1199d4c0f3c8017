/** For how long an admin can view the site as somebody else. */
export const viewMinutes = 30

/** Where viewing as somebody else is stopped. */
export const stopViewingPath = '/stop-viewing/'

/** Says why something is refused while an admin views the site as somebody else. */
export function viewingRefusal(name = 'somebody else'): string {
  return `You are viewing as ${name}. Nothing can be changed.`
}

/** "14:32 left" */
export function timeLeft(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds))
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')} left`
}
