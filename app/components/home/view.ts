import type { Cover, Phase } from '../modules/view.ts'

/** Something that the home page offers to begin or to go on with. */
export type HomeItem = {
  uid: string
  name: string
  to: string
  /** What it is: its step of the process, or its kind. */
  detail: string
  phase: Phase | null
  cover: Cover | null
  /** Null before it is begun. */
  percent: number | null
  /** "40%" or "Retaking 40%". */
  percentText: string
  action: 'Start' | 'Resume'
  /** The field of the launch form that opens it; null for films, which are opened by their address. */
  press: { name: 'moduleVersionUid' | 'course'; value: string } | null
  /** Stands in place of the button if it cannot be opened here. */
  note: string | null
}

/** The band at the top of the home page. */
export type HomeBand = {
  title: string
  /** One sentence below the title. */
  why: string | null
  items: HomeItem[]
}
