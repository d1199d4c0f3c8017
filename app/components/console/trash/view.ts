export type TrashRow = {
  /** Its kind and uid. */
  key: string
  name: string
  /** "Course" … */
  kind: string
  /** The value of the filter. */
  kindValue: string
  /** What else there is to say: the tag that a tag was merged into. */
  note: string | null
  deletedBy: string | null
  /** Moments in the site's time zone, and the same in milliseconds for sorting. */
  deletedOn: string
  deletedAt: number
  until: string
  /** The page of its history. */
  history: string | null
}
