/**
 * What the database keeps about people: the list behind the Privacy Policy. A test compares `tables` with all tables that
 * have a column for a person, so a new table cannot be forgotten here.
 */
export type PersonalData = {
  title: string
  what: string
  howLong: string
  tables: string[]
}

type Settings = { EVENT_MONTHS: number; MAIL_DAYS: number; SESSION_DAYS: number; SESSION_MAX_DAYS: number }

const untilDeleted =
  'Until thirty days after your account is deleted. It is closed and hidden at once, and can be restored until then.'
const unnamed = 'As long as you have an account. After that, the records remain without your name or email address.'

export function personalData(settings: Settings): PersonalData[] {
  const months = settings.EVENT_MONTHS === 1 ? 'one month' : `${settings.EVENT_MONTHS} months`
  return [
    {
      title: 'Who you are',
      what: 'Your name, your email address, your institution, what your access includes and until when, who invited you, and whether you want messages by email.',
      howLong: untilDeleted,
      tables: ['users', 'user_groups', 'subscriptions', 'invitations', 'removed_university_people'],
    },
    {
      title: 'Your answers to the questionnaire',
      what: 'Your position, the kind of your institution, your research, your region, and whatever else you answered there.',
      howLong: untilDeleted,
      tables: ['user_answers', 'user_answer_options', 'user_facets'],
    },
    {
      title: 'What you learn',
      what: 'Which modules and courses you opened and when, how far you got, how long you took, your answers to the questions in modules, your scores, and what modules keep to bring you back to your place.',
      howLong: unnamed,
      tables: [
        'registrations',
        'registration_units',
        'registration_blocks',
        'launch_sessions',
        'module_progress',
        'course_progress',
        'question_answers',
        'xapi_agents',
        'xapi_statements',
        'xapi_documents',
        'xapi_attachments',
        'xapi_forwards',
        'xapi_statement_references',
      ],
    },
    {
      title: 'What you watch',
      what: 'Which lectures and videos you started, when, how much and which parts of them you watched, and where you left them.',
      howLong: unnamed,
      tables: ['lecture_progress', 'video_progress', 'video_plays'],
    },
    {
      title: 'When you are here',
      what: 'The times at which you logged in, the beginning and end of each visit, and how many of these there were in each year.',
      howLong: unnamed,
      tables: ['logins', 'visits', 'person_years'],
    },
    {
      title: 'What you look at and search for',
      what: 'The pages that you open, when you start, pause and finish a video, the size of your screen, and the words of each search with the number of results.',
      howLong: `For ${months}.`,
      tables: ['events', 'search_queries'],
    },
    {
      title: 'What you save, and what you are assigned',
      what: 'Your saved items, and the modules and courses that you were asked to learn: by whom and when, when they are due, and the note that came with them.',
      howLong: untilDeleted,
      tables: ['favorites', 'module_assignments', 'course_assignments', 'standing_assignment_people'],
    },
    {
      title: 'Reminders of what is due',
      what: 'On which days you were sent a reminder by email and of what, the due date that was changed when something was assigned to you again, and what was taken back.',
      howLong: 'For 30 days.',
      tables: ['assignment_reminders', 'reminded_assignments', 'replaced_assignments'],
    },
    {
      title: 'Messages',
      what: 'Which messages you were sent, whether they arrived, and whether you opened them, followed a link or pinned them. You can choose that this is not counted for emails.',
      howLong: unnamed,
      tables: ['announcement_recipients'],
    },
    {
      title: 'Emails',
      what: 'Which emails you were sent: the address, the subject, when, and what the mail servers answered. The text of emails about your account is not kept. Whether your address cannot be reached, or you complained about an email.',
      howLong: `For ${settings.MAIL_DAYS} days. Of messages it remains whether the email arrived. That an address cannot be reached is stored as long as you have an account.`,
      tables: ['mails', 'mail_suppressions'],
    },
    {
      title: 'Your security',
      what: `The address and the browser of each session, your access tokens, links to reset a password, and changes of your email address that an administrator asked for. While an administrator looks at the site as you see it, for half an hour at most and without changing anything, that is stored, too. Your password, tokens and links are stored only in a form that nobody can read. A failed attempt to log in is counted for a day, without your name or address.`,
      howLong: `A session ends ${settings.SESSION_DAYS} days after your last visit, ${settings.SESSION_MAX_DAYS} days after you logged in, or when you log out, and is then deleted. Links are deleted when they expire, changes of your address after 30 days, and access tokens with your account.`,
      tables: ['sessions', 'access_tokens', 'one_time_tokens', 'account_mails', 'address_changes', 'session_views'],
    },
    {
      title: 'What you do as an author or administrator',
      what: 'The content that you make, publish or delete, the files that you upload, the messages that you send, the audiences that you define, and a record of your changes.',
      howLong:
        'As long as the site exists. When your account is deleted, only the name that stands on published content and in the record of changes remains.',
      tables: [
        'audiences',
        'standing_assignments',
        'audit_entries',
        'announcements',
        'bulk_operations',
        'course_versions',
        'courses',
        'glossary_terms',
        'lectures',
        'module_versions',
        'modules',
        'preview_links',
        'removed_tags',
        'removed_universities',
        'scheduled_changes',
        'stored_files',
        'uploads',
        'videos',
      ],
    },
    {
      title: 'Reports that you save and get',
      what: 'As an administrator: the views of reports that you saved, the reports that you scheduled or were sent by email, and when you first opened each of them. The reports that you had prepared as files, for 37 days, and the files, for seven days.',
      howLong: untilDeleted,
      tables: [
        'saved_views',
        'scheduled_reports',
        'scheduled_report_recipients',
        'report_runs',
        'report_run_people',
        'report_files',
      ],
    },
    {
      title: 'If you were invited from a list',
      what: 'The row of the list about you: your name, your email address, your institution and your access, and whether the invitation was sent.',
      howLong: 'For 30 days after the list was worked through.',
      tables: ['invited_list_rows'],
    },
    {
      title: 'What you have typed and not saved',
      what: 'As an author or administrator: what you typed into a form and have not saved, so that it is not lost. Nobody else sees it.',
      howLong: 'Until you save or discard it, at most for 90 days.',
      tables: ['form_drafts'],
    },
  ]
}
