/** The mail that tells somebody what became of a file that they asked for. It has a link and no file. */
import { sql } from 'kysely'
import { brands } from '~/config/brands.ts'
import { rowOfFile } from '~/forms/report-files.ts'
import { findReport } from '~/forms/report-list.ts'
import { questionInWords, type ReportQuestion, readReportQuestion } from '~/forms/reports.ts'
import { formatMoment } from '~/lib/dates.ts'
import type { Ctx, Site } from '../context.ts'
import { composeLetter } from '../mail/letter.ts'
import type { Mail } from '../mail/mail.server.ts'
import { sendMail } from '../mail/send-mail.server.ts'
import { maySeeReports } from './report-recipients.server.ts'

type Told = {
  uid: string
  path: string
  question: ReportQuestion
  fileName: string
  about: string[]
  state: 'ready' | 'failed'
  problem: string | null
  expiresAt: Date | null
  userUid: string
  firstName: string
  lastName: string
  email: string
}

/**
 * Job: mails the link to a file, or why there is none. Whoever is no longer an admin gets no mail. Somebody waits for
 * it, so it may be sent twice after a crash, and the choice to get no scheduled reports does not matter.
 */
export async function sendReportFileMail(ctx: Ctx, input: { fileUid: string }): Promise<{ sent: number }> {
  const { rows } = await sql<Told>`
    select file.uid, file.report as path, file.question, file.file_name as "fileName", file.about, file.state,
      file.problem, file.expires_at as "expiresAt",
      users.uid as "userUid", coalesce(users.first_name, '') as "firstName", coalesce(users.last_name, '') as "lastName",
      users.email
    from report_files file join users on users.id = file.user_id
    where file.site_id = ${ctx.site.id} and file.uid = ${input.fileUid}
      and (file.state = 'failed' or (file.state = 'ready' and file.expires_at > ${ctx.now}))
      and users.email is not null and ${maySeeReports(sql.ref('users'))}`.execute(ctx.db)
  const [told] = rows
  if (!told) return { sent: 0 }
  const { isAccepted } = await sendMail(ctx, {
    kind: 'report',
    source: `report-file:${input.fileUid}`,
    userUid: told.userUid,
    write: () => fileLetter(ctx.site, told),
  })
  return { sent: isAccepted ? 1 : 0 }
}

function fileLetter(site: Site, told: Told): Mail {
  const { uid, fileName, state, problem, expiresAt, firstName, lastName, email } = told
  const title = titleOf(told)
  // The ledger of mails keeps the subject after the person has been erased, so it has neither a name nor a position.
  const subject = titleOf({
    ...told,
    about: told.question.filters?.person || told.question.filters?.position ? [] : told.about,
  })
  const url = `${site.baseUrl}/dashboard/reports/files/#${rowOfFile(uid)}`
  const to = { firstName, lastName, address: email }
  const asked = `You asked for the report “${title}” of ${brands[site.key].name} as a file.`
  if (state === 'failed') {
    return composeLetter({
      ...{ site, to },
      subject: `Your file could not be prepared: ${subject}`,
      before: [asked, `It could not be prepared. ${problem ?? ''}`.trim()],
      action: { label: 'Open your files', url },
      after: [],
    })
  }
  return composeLetter({
    ...{ site, to },
    subject: `Your file is ready: ${subject}`,
    before: [
      asked,
      `It is called “${fileName}”.`,
      `It is ready. You can download it until ${formatMoment(expiresAt ?? new Date(0), site.timeZone)}.`,
    ],
    action: { label: 'Open your file', url },
    after: ['You have to be logged in as an admin. Nobody else can download it.'],
  })
}

function titleOf({ path, question, about }: Told): string {
  const report = findReport(path)
  const read = report && readReportQuestion(report, question)
  return read?.ok ? questionInWords(path, read.choice, about) : [report?.title ?? path, ...about].join(', ')
}
