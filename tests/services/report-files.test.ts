/** The files of reports, read by three strict CSV parsers of different authors. */
import { Readable } from 'node:stream'
import { parse as csvParse } from 'csv-parse/sync'
import csvParser from 'csv-parser'
import { sql } from 'kysely'
import Papa from 'papaparse'
import { beforeAll, expect, test } from 'vitest'
import { reports } from '~/forms/report-list.ts'
import { type CsvRow, csvText } from '~/lib/csv.ts'
import type { Ctx } from '~/services/context.ts'
import { ensureEventPartitions } from '~/services/events/events.server.ts'
import { openReport } from '~/services/reports/reports.server.ts'
import { listUserReportFields } from '~/services/users/report-fields.server.ts'
import { aPerson } from '../support/attempts.ts'
import { db, site } from '../support/test.ts'

/** What breaks a file that is written or read carelessly: in every text that a report has. */
const hostile = [
  '=HYPERLINK("http://evil.example","x")',
  "'=1+1",
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '\r\n=1',
  ' =1',
  '\u00a0=1',
  '\ufeff=1',
  '\u200b=1',
  '＝1',
  'a "quoted" word',
  '"',
  '""',
  'one,two;three',
  'first\r\nsecond',
  'first\nsecond',
  'first\rsecond',
  '\ufeffmark',
  '😀 🏳️‍🌈 שלום',
  ' spaces ',
  '\\"',
  ',',
]

let admin: Ctx

beforeAll(async () => {
  admin = await aPerson(db, { groups: ['admins'], plan: null })
  await ensureEventPartitions(admin)
  const texts = sql`(select text, n from unnest(${hostile}::text[]) with ordinality list (text, n)) hostile`
  await sql`
    insert into universities (site_id, name, name_key, search_key)
    select ${site.id}, text, 'key ' || n, 'key' from ${texts}`.execute(db)
  await sql`
    insert into users (site_id, email, email_key, first_name, last_name, search_key, is_active, joined_at, university_id)
    select ${site.id}, n || '@hostile.example', n || '@hostile.example', text, text, 'key', n % 4 > 0,
      case when n % 4 > 0 then now() end, (select id from universities where name_key = 'key ' || n and site_id = ${site.id})
    from ${texts}`.execute(db)
  const people = sql`${texts} join users on users.email = hostile.n || '@hostile.example'`
  await sql`
    insert into user_groups (user_id, name)
    select users.id, case when is_active then 'learners' else 'pending_users' end from ${people}`.execute(db)
  await sql`
    insert into user_facets (user_id, site_id, position, group_key)
    select users.id, ${site.id}, text, 'external' from ${people}`.execute(db)
  await sql`
    insert into modules (site_id, name, name_key, search_key, description)
    select ${site.id}, text, 'key ' || n, 'key', 'Words' from ${texts}`.execute(db)
  await sql`
    insert into videos (site_id, name, search_key, description, status, phases, duration, video_url, category)
    select ${site.id}, text, 'key', 'Words', 'published', array['Discover'], 60, '/films/a.mp4', 'expert' from ${texts}`.execute(
    db,
  )
  await sql`
    insert into logins (site_id, user_id, at)
    select ${site.id}, users.id, now() - day * interval '1 day' from ${people}, generate_series(1, 2) day`.execute(db)
  await sql`
    insert into visits (site_id, user_id, started_at, last_seen_at)
    select ${site.id}, users.id, now() - interval '1 hour', now() from ${people}`.execute(db)
  await sql`
    insert into module_progress (user_id, module_id, site_id, started_at, completed_at)
    select users.id, modules.id, ${site.id}, now() - interval '1 hour', now()
    from ${people} join modules on modules.name_key = 'key ' || hostile.n and modules.site_id = ${site.id}`.execute(db)
  await sql`
    insert into question_answers (seq, site_id, user_id, module_id, kind, question_iri, question, response, answered_at)
    select hostile.n * 10 + kind.place, ${site.id}, users.id, modules.id, kind.name, 'https://hostile.example/' || hostile.n, text, text,
      now()
    from ${people} join modules on modules.name_key = 'key ' || hostile.n and modules.site_id = ${site.id},
      (values ('quiz', 1), ('survey', 2)) kind (name, place)`.execute(db)
  await sql`
    insert into search_queries (site_id, user_id, at, query, type, results)
    select ${site.id}, users.id, now(), text, 'all', 0 from ${people}`.execute(db)
  await sql`
    insert into video_plays (site_id, user_id, subject, subject_uid, title)
    select ${site.id}, users.id, 'video', videos.uid, text
    from ${people} join videos on videos.name = text and videos.site_id = ${site.id}`.execute(db)
  await sql`
    insert into announcements (site_id, name, subject, text, delivery_type, status, author_name, from_field, sent_at)
    select ${site.id}, text, text, 'Words', 'dashboard', 'sent', text, text, now() from ${texts}`.execute(db)
})

/** Every fourth person has not registered. */
const share: Record<string, number> = { users: 3 / 4, 'pending-users': 1 / 4 }

/** Two of the parsers leave the mark at the beginning to their caller. */
const withoutMark = (text: string) => text.replace(/^\ufeff/, '')

/** Each throws for what is not RFC 4180 or has rows of different lengths. */
const parsers: Record<string, (text: string) => Promise<string[][]>> = {
  'csv-parse': async (text) => csvParse(text, { bom: true, record_delimiter: '\r\n' }),
  papaparse: async (text) => {
    const { data, errors } = Papa.parse<string[]>(withoutMark(text), { delimiter: ',', newline: '\r\n' })
    expect(errors).toEqual([])
    expect(data.pop(), 'the end of the last line').toEqual([''])
    return data
  },
  'csv-parser': async (text) => {
    const rows: string[][] = []
    for await (const row of Readable.from([Buffer.from(withoutMark(text))]).pipe(
      csvParser({ headers: false, strict: true }),
    )) {
      rows.push(Object.values(row as Record<string, string>))
    }
    return rows
  },
}

test('C-237 to C-248 three parsers read every report alike, with the cells that were written', async () => {
  const fields = (await listUserReportFields(admin)).map(({ id }) => id).join(',')
  for (const { path, needs } of reports) {
    const aggregates = (needs as readonly string[]).includes('aggregate') ? ['', 'Institution', 'Position'] : ['']
    for (const aggregateBy of aggregates) {
      const question = {
        ...{ period: 'all_time', interval: 'daily', aggregateBy },
        ...((needs as readonly string[]).includes('fields') && { fields }),
      }
      const { parts } = await openReport(admin, { path, question })
      const rows: CsvRow[] = []
      for await (const part of parts) rows.push(...part)
      expect(rows.length, path).toBeGreaterThan(hostile.length * (share[path] ?? 1))
      for (const isRaw of [false, true]) {
        // As report-file.server.ts does: the first part has the mark.
        const text = csvText(rows.slice(0, 1), { isRaw }) + csvText(rows.slice(1), { isFirst: false, isRaw })
        const read = await Promise.all(Object.values(parsers).map((parse) => parse(text)))
        for (const [index, name] of Object.keys(parsers).entries()) {
          expect(read[index], `${path} by ${aggregateBy}, ${name}`).toEqual(read[0])
        }
        if (isRaw)
          expect(read[0], path).toEqual(rows.map((row) => row.map((cell) => (cell === null ? '' : String(cell)))))
        else
          expect(
            read[0]?.flat().filter((cell) => /^(?:[\t\r]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u.test(cell)),
            path,
          ).toEqual([])
      }
    }
  }
})
