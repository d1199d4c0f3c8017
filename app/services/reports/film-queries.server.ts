/** The queries of the reports about films: videos, lectures, and the film of the home page. */
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { personCells } from './lines-of-people.server.ts'
import {
  type Cell,
  durationCells,
  isAbout,
  isIn,
  type ReportInput,
  type ReportQuery,
  source,
  sumCell,
  sumOf,
  timeCell,
} from './report-cells.server.ts'

/** The plays of the period, of one film if the question names one. */
export const playRows = (ctx: Ctx, input: ReportInput, join = sql``) => sql`
  from video_plays play ${join}
  where play.site_id = ${ctx.site.id} and ${isIn(input.period, sql`play.started_at`)}
    and ${isAbout(input, sql`play.user_id`)} and ${input.uid ? sql`play.subject_uid = ${input.uid}::uuid` : sql`true`}
    and ${input.rows.homeFilm === null ? sql`true` : sql`play.subject_uid is null and play.title = ${input.rows.homeFilm}`}
    and ${input.rows.isToTheEnd ? sql`play.completed_at is not null` : sql`true`}`

const playFigures = sql`count(*)::int as plays, count(play.completed_at)::int as ends,
  sum(floor(play.seconds + 0.5)::bigint)::bigint as seconds, round(avg(play.max_percent), 1) as percent`

/**
 * A line for each film, and for each title of the home page's film, which has no uid. People are counted apart, because that
 * takes several times as long as everything else and is found in an index alone. On the screen, those of the films that are
 * shown are counted.
 */
export const filmsQuery: ReportQuery = (ctx, input) => {
  const facts = sql`
    select play.subject_uid, null as title, ${playFigures}, null as people
    ${playRows(ctx, input)} and play.subject_uid is not null group by play.subject_uid
    union all
    select null, play.title, ${playFigures}, count(distinct play.user_id)
    ${playRows(ctx, input)} and play.subject_uid is null group by play.title`
  const films = sql`
    from facts film
      left join lateral (
        -- Any play tells what it is of. The first in the order of the index is found at once.
        select play.subject, play.title from video_plays play
        where play.site_id = ${ctx.site.id} and play.subject_uid = film.subject_uid
        order by play.user_id, play.started_at limit 1) one on true`
  const lines = { facts, order: sql`3 desc, 1, film.subject_uid`, counted: sql`from facts film` }
  const all = filmCells(ctx)
  const people = {
    from: [sql`film.people`, sql`film.subject_uid`],
    sql: (people: RawBuilder<unknown>, uid: RawBuilder<unknown>) => sql`
      coalesce(${people}, (
        select count(distinct play.user_id) ${playRows(ctx, input)} and play.subject_uid = ${uid}))::int`,
  }
  const cells = all.map((cell) => (cell.head === 'People' ? { ...cell, find: people } : cell))
  return {
    heads: all.map(({ head }) => head),
    open: async () => ({
      ...lines,
      cells: all,
      from: sql`${films}
        left join (
          select play.subject_uid, count(distinct play.user_id) as people
          ${playRows(ctx, input)} and play.subject_uid is not null group by play.subject_uid) viewers
          on viewers.subject_uid = film.subject_uid`,
      // About some people, each line would look all of them up.
      ...(input.people === null && { onScreen: { ...lines, cells, from: films } }),
    }),
  }
}

/** SQL: the film of a play, with the name that it has now. Looked up for each play, so that these keep the order of their index. */
const namedFilm = ({ site }: Ctx) => sql`
  lateral (
    select name::text from videos where uid = play.subject_uid and site_id = ${site.id}
    union all select name::text from lectures where uid = play.subject_uid and site_id = ${site.id} limit 1) film`

const kindOf = (subject: RawBuilder<unknown>) =>
  sql`case ${subject} when 'video' then 'Video' when 'lecture' then 'Lecture' else 'Home page' end`

/** One row per play. */
export const playList: ReportQuery = (ctx, input) =>
  source(
    [
      timeCell(ctx, 'Started', sql`play.started_at`),
      ...personCells,
      { head: 'Video', sql: sql`coalesce(film.name, play.title)` },
      { head: 'Kind', sql: kindOf(sql`play.subject`) },
      { head: 'Share seen (%)', sql: sql`play.max_percent`, kind: 'number' },
      sumCell('Plays to the end', sql`(play.completed_at is not null)::int`),
      ...durationCells(
        'Time watched',
        sql`floor(play.seconds + 0.5)::bigint`,
        sumOf('Time watched', { isDuration: true }),
      ),
    ],
    playRows(ctx, input, sql`left join users on users.id = play.user_id left join ${namedFilm(ctx)} on true`),
    sql`play.started_at, play.id`,
    playRows(ctx, input),
  )

function filmCells(ctx: Ctx): Cell[] {
  return [
    {
      head: 'Video',
      sql: sql`coalesce(
        (select name::text from videos where uid = film.subject_uid and site_id = ${ctx.site.id}),
        (select name::text from lectures where uid = film.subject_uid and site_id = ${ctx.site.id}),
        film.title, one.title)`,
      link: sql`(
        select 'video:' || uid from videos
        where uid = film.subject_uid and site_id = ${ctx.site.id} and deleted_at is null
        union all select 'lecture:' || uid from lectures
        where uid = film.subject_uid and site_id = ${ctx.site.id} and deleted_at is null
        union all select 'home_film:' || film.title where film.subject_uid is null)`,
    },
    { head: 'Kind', sql: kindOf(sql`one.subject`) },
    sumCell('Plays', sql`film.plays`),
    { head: 'People', sql: sql`coalesce(film.people, viewers.people)::int`, kind: 'number' },
    sumCell('Plays to the end', sql`film.ends`),
    ...durationCells('Time watched', sql`film.seconds`, sumOf('Time watched', { isDuration: true })),
    { head: 'Average share seen (%)', sql: sql`film.percent`, kind: 'number', link: sql`'film:' || film.subject_uid` },
  ]
}
