/** 04:07, and with hours only above 3600 seconds: 59:59, 60:00, 01:00:01. */
export function formatDuration(seconds: number): string {
  const whole = Math.floor(seconds)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  if (whole <= 3600) return `${two(whole / 60)}:${two(whole % 60)}`
  return `${two(whole / 3600)}:${two((whole / 60) % 60)}:${two(whole % 60)}`
}
