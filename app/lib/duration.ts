/**
 * How long something takes, for learners. Everything says it in these words. `isLeast`: some of its parts take a time that
 * nobody knows.
 */
export function aboutMinutes(minutes: number | null, { isLeast = false } = {}): string | null {
  if (minutes === null) return null
  const about = isLeast ? 'At least' : 'About'
  if (minutes < 60) return `${about} ${minutes} min`
  const rest = minutes % 60
  return `${about} ${(minutes - rest) / 60} h${rest === 0 ? '' : ` ${rest} min`}`
}

/** Returns whole minutes, from ten on in steps of five, because an estimate is not exact. */
export function roundMinutes(minutes: number, round: (value: number) => number = Math.round): number {
  return minutes < 10 ? Math.max(1, round(minutes)) : round(minutes / 5) * 5
}

/** "57 h 11 min", and with seconds only below an hour: "16 min 5 s". */
export function durationInWords(seconds: number): string {
  const whole = Math.round(seconds)
  const minutes = Math.floor(whole / 60) % 60
  const parts =
    whole < 3600
      ? [minutes && `${minutes} min`, (whole < 60 || whole % 60 > 0) && `${whole % 60} s`]
      : [`${Math.floor(whole / 3600).toLocaleString('en')} h`, minutes && `${minutes} min`]
  return parts.filter(Boolean).join(' ')
}

/** 04:07, and with hours only above 3600 seconds (A-090): 59:59, 60:00, 01:00:01. */
export function formatDuration(seconds: number): string {
  const whole = Math.floor(seconds)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  if (whole <= 3600) return `${two(whole / 60)}:${two(whole % 60)}`
  return `${two(whole / 3600)}:${two((whole / 60) % 60)}:${two(whole % 60)}`
}
