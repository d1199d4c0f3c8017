import { isShownTo, type NavigationRule } from './navigation.ts'

/** A kind of content in menus, with the address of its list. */
export type Way = NavigationRule & { to: string; title: string; text: string }

export const ways: Way[] = [
  { to: '/courses/', title: 'Courses', text: 'Modules in a considered order, from the first question to the last.' },
  {
    to: '/modules/',
    title: 'Modules',
    text: 'One topic each, in text and illustration, with questions to check yourself.',
  },
  { to: '/videos/', title: 'Videos', text: 'Silent animations with captions, each on one idea.' },
  {
    to: '/lectures/',
    title: 'Lectures',
    text: 'Silent, captioned films with guiding questions and a transcript.',
    flag: 'LECTURES',
  },
]

export function waysFor(flags: readonly string[]): Way[] {
  return ways.filter((way) => isShownTo(way, { groups: [], flags }))
}
