/** Sends usage events to `/event/`. Errors are ignored, because they do not matter to people. */
type Properties = Record<string, string | number | boolean | null>

export function sendEvent(
  name: string,
  properties: Properties,
  options: { csrf: string | null; isLeaving?: boolean },
): void {
  const { csrf, isLeaving = false } = options
  const { width, height } = window.screen
  const path = document.documentElement.dataset.eventPath ?? '/event/'
  const event = { event: name, properties, screen: { width, height } }
  if (isLeaving) {
    // A beacon outlives its page but has no headers, so the token is in the body.
    const body = JSON.stringify({ ...event, ...(csrf && { csrf }) })
    navigator.sendBeacon?.(path, new Blob([body], { type: 'application/json' }))
    return
  }
  fetch(path, {
    method: 'POST',
    keepalive: true,
    headers: { 'Content-Type': 'application/json', ...(csrf && { 'X-CSRFToken': csrf }) },
    body: JSON.stringify(event),
  }).catch(() => {})
}
