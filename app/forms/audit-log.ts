/** The filters of the audit log, as its address has them. Invalid values are ignored, because anybody can write one. */
import { z } from 'zod'
import { isStorable, tidyLine } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { isDay } from '~/lib/zoned-time.ts'

/** What each kind of thing is called that the audit log is about, in the order of the list to choose from. */
export const auditKinds: Record<string, string> = {
  user: 'User',
  course: 'Course',
  module: 'Module',
  lecture: 'Lecture',
  video: 'Video',
  glossary_term: 'Glossary term',
  glossary: 'Glossary',
  tag: 'Tag',
  university: 'Institution',
  access_plan: 'Access plan',
  audience: 'Audience',
  saved_view: 'Saved view',
  scheduled_report: 'Scheduled report',
  section: 'Section',
  chapter: 'Chapter',
  catalog: 'Courses page',
  announcement: 'Message',
  mail_suppression: 'Suppressed address',
  attempt: 'Attempt',
  bulk_operation: 'Bulk operation',
  site: 'Settings',
  access_token: 'Access token',
  xapi_client: 'xAPI client',
}

const orEmpty = (isValid: (value: string) => boolean) => z.string().refine(isValid).catch('').default('')

export const auditFilters = z.object({
  person: z
    .string()
    .refine(isStorable)
    .transform((text) => [...tidyLine(text)].slice(0, 100).join(''))
    .catch('')
    .default(''),
  kind: orEmpty((value) => Object.hasOwn(auditKinds, value)),
  target: orEmpty(isUid),
  from: orEmpty(isDay),
  to: orEmpty(isDay),
  after: z.string().max(300).catch('').default(''),
})

export type AuditFilters = z.output<typeof auditFilters>
