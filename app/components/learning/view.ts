import type { Cover } from '../modules/view.ts'

export type ContentKind = 'course' | 'module' | 'video' | 'lecture'

/** A card in the list of all content. */
export type ContentItem = {
  kind: ContentKind
  uid: string
  name: string
  text: string
  isComingSoon: boolean
  isSaved: boolean
  cover: Cover | null
}
