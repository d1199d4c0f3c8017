/** The names of the events that a film sends while it is watched. */
export const videoEvents = {
  started: 'Video Playback Started',
  resumed: 'Video Playback Resumed',
  paused: 'Video Playback Paused',
  completed: 'Video Playback Completed',
  playing: 'Video Content Playing',
} as const

export type VideoEventName = (typeof videoEvents)[keyof typeof videoEvents]

export function isVideoEvent(name: string): name is VideoEventName {
  return (Object.values(videoEvents) as string[]).includes(name)
}
