/** Icons that only messages show. */
import { IconFrame } from '../ui/icon.tsx'

export function PinIcon() {
  return (
    <IconFrame>
      <path d="M9 4h6l-.8 6 3.3 3.5v1.5h-11v-1.5L9.8 10zM12 15v5.5" />
    </IconFrame>
  )
}

export function ClipIcon() {
  return (
    <IconFrame>
      <path d="m19.5 11-8 8a5 5 0 0 1-7-7l8.5-8.5a3.3 3.3 0 0 1 4.7 4.7l-8.4 8.4a1.7 1.7 0 0 1-2.4-2.4l7.6-7.6" />
    </IconFrame>
  )
}
