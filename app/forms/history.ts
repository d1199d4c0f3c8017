/** The kinds of content that have a history, as the audit log names them, and how their fields are compared. */
import { captionLanguages, usualLanguage } from '~/lib/caption-languages.ts'
import { deliveryLabels, messageFieldLabels } from './announcements.ts'
import { courseFieldLabels } from './courses.ts'
import { lectureFieldLabels } from './lectures.ts'
import { moduleFieldLabels } from './modules.ts'
import { categoryNames, videoFieldLabels } from './videos.ts'

export type HistoryKind = 'announcement' | 'course' | 'module' | 'lecture' | 'video' | 'glossary_term'

/** The name in addresses of the history's page. Those of tables would be kept when the dialog closes. */
export const historyPage = 'part'

/** What a kind is called, and the section of the console that it belongs to. */
export const historyNames: Record<HistoryKind, { noun: string; section: string }> = {
  announcement: { noun: 'message', section: 'messages' },
  course: { noun: 'course', section: 'courses' },
  module: { noun: 'module', section: 'modules' },
  lecture: { noun: 'lecture', section: 'lectures' },
  video: { noun: 'video', section: 'videos' },
  glossary_term: { noun: 'term', section: 'glossary' },
}

/** `words` are compared word by word, `value` side by side; the others are lists, or names of other things. */
type Comparison =
  | 'words'
  | 'value'
  | 'tick'
  | 'minutes'
  | 'lines'
  | 'tags'
  | 'plans'
  | 'chapter'
  | 'file'
  | 'sections'
  | 'captions'
/** `names` are what people read instead of the values. */
export type ComparedField = { label: string; by: Comparison; names?: Record<string, string> }

/** What forms have before anybody touches them. The first revision does not list it; other ticks are off. */
const untouched: Record<string, unknown> = {
  status: 'draft',
  showsTerms: true,
  inSelfStudy: true,
  transcriptLanguage: usualLanguage,
}

export function isUntouched(name: string, { by }: ComparedField, value: unknown): boolean {
  return name in untouched ? untouched[name] === value : by === 'tick' && value === false
}

function fieldsOf<Field extends string>(
  labels: Record<Field, string>,
  by: Record<Field, Comparison>,
): Record<Field, ComparedField> {
  const fields = Object.keys(labels) as Field[]
  return Object.fromEntries(fields.map((field) => [field, { label: labels[field], by: by[field] }])) as Record<
    Field,
    ComparedField
  >
}

const filmFields = {
  name: 'words',
  status: 'value',
  description: 'words',
  presenter: 'words',
  phases: 'tags',
  coverImg: 'file',
  coverImgDesc: 'words',
  tags: 'tags',
  accessPlanUids: 'plans',
  videoUrl: 'value',
  videoFile: 'file',
  captions: 'captions',
  transcript: 'words',
  transcriptLanguage: 'value',
  transcriptAsCaptions: 'tick',
  showsTerms: 'tick',
} as const

const filmNames = (labels: { status: string; transcriptLanguage: string }): Record<string, ComparedField> => ({
  status: { label: labels.status, by: 'value', names: { draft: 'Draft', published: 'Published' } },
  transcriptLanguage: {
    label: labels.transcriptLanguage,
    by: 'value',
    names: Object.fromEntries(captionLanguages.map(({ code, name }) => [code, name])),
  },
})

/** The fields of an audit entry that are shown, in their order on the page. */
export const historyFields: Record<HistoryKind, Record<string, ComparedField>> = {
  announcement: {
    ...fieldsOf(messageFieldLabels, {
      name: 'words',
      subject: 'words',
      text: 'words',
      deliveryType: 'value',
      from: 'value',
      attachment: 'file',
    }),
    deliveryType: { label: messageFieldLabels.deliveryType, by: 'value', names: deliveryLabels },
    recipients: { label: 'Recipients', by: 'value' },
  },
  course: {
    ...fieldsOf(courseFieldLabels, {
      name: 'words',
      description: 'words',
      synopsis: 'words',
      learningObjectives: 'lines',
      bannerImg: 'file',
      coverImg: 'file',
      coverImgDesc: 'words',
      durationMinutes: 'minutes',
      showsTerms: 'tick',
      tags: 'tags',
      accessPlanUids: 'plans',
      sections: 'sections',
    }),
    addToHomepage: { label: 'Add to homepage', by: 'tick' },
  },
  module: {
    ...fieldsOf(moduleFieldLabels, {
      name: 'words',
      description: 'words',
      coverImg: 'file',
      coverImgDesc: 'words',
      accessPlanUids: 'plans',
      tags: 'tags',
      chapterUid: 'chapter',
      durationMinutes: 'minutes',
      inSelfStudy: 'tick',
      comingSoon: 'tick',
      showsTerms: 'tick',
      cmi5Zip: 'file',
    }),
    // The rules of a unit, and versions.
    moveOn: { label: 'Completion', by: 'value' },
    masteryScore: { label: 'Mastery score', by: 'value' },
    launchParameters: { label: 'Launch parameters', by: 'value' },
    version: { label: 'Version', by: 'value' },
  },
  lecture: {
    ...fieldsOf(lectureFieldLabels, {
      ...filmFields,
      questionsMarkdown: 'words',
      chapterUid: 'chapter',
      inLecturesPage: 'tick',
      comingSoon: 'tick',
    }),
    ...filmNames(lectureFieldLabels),
  },
  video: {
    ...fieldsOf(videoFieldLabels, { ...filmFields, category: 'value' }),
    ...filmNames(videoFieldLabels),
    category: { label: videoFieldLabels.category, by: 'value', names: categoryNames },
  },
  glossary_term: {
    name: { label: 'Term', by: 'words' },
    definition: { label: 'Definition', by: 'words' },
  },
}

/** What an entry of the audit log says has happened; the part behind the point of its action. */
const historyEvents: Record<string, string> = {
  created: 'Created',
  updated: 'Saved',
  revision_restored: 'Earlier revision restored',
  published: 'Published',
  unpublished: 'Unpublished',
  version_published: 'Version published',
  version_discarded: 'Version discarded',
  package_imported: 'Package imported',
  unit_overridden: 'Unit rules saved',
  deleted: 'Removed',
  restored: 'Brought back',
}

const messageEvents: Record<string, string> = {
  ...historyEvents,
  recipients_changed: 'Recipients changed',
  scheduled: 'Scheduled',
  schedule_canceled: 'Schedule canceled',
  sent: 'Sent',
  sent_late: 'Sent after its time',
  stopped: 'Sending stopped',
  resumed: 'Sending resumed',
  resent: 'Sent again where it was in doubt',
}

/** The events of a kind in the audit log, and what they are called. */
export function historyEventsOf(kind: HistoryKind): Record<string, string> {
  return kind === 'announcement' ? messageEvents : historyEvents
}
