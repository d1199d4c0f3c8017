/** A figure that leads to the page that shows the same. */
export type OverviewFigure = {
  label: string
  to: string
  value: string
  /** What the figure means, in the words of docs/words.md. */
  meaning: string
  /** A share, or what it is part of. */
  note: string | null
}

type NamedRow = { id: string; name: string; to: string }

export type OverviewView = {
  /** What only admins see; null for authors. */
  admins: {
    /** The days of the period, and the zone that they are days of. */
    days: string
    timeZone: string
    lastDays: OverviewFigure[]
    toDo: OverviewFigure[]
    /** Null if the site sends no messages. */
    messages: { figures: OverviewFigure[]; rows: (NamedRow & { state: string; inDoubt: string })[] } | null
    searches: { to: string; rows: { term: string; without: string; searches: string }[] }
  } | null
  failing: { rows: (NamedRow & { learners: string })[] }
}
