/**
 * The demo's learner and instructor get four messages under My Messages, one of them pinned and read. Its admin has a draft
 * and a message that is scheduled. Safe to repeat.
 */
import { Readable } from 'node:stream'
import { brands } from '../app/config/brands.ts'
import { dayOf } from '../app/lib/zoned-time.ts'
import { markOpened, pinAnnouncement } from '../app/services/announcements/announcements.server.ts'
import { createAnnouncement } from '../app/services/announcements/save-announcement.server.ts'
import { sendDashboardAnnouncement } from '../app/services/announcements/send-announcement.server.ts'
import { listAudiences } from '../app/services/audiences/audiences.server.ts'
import type { Ctx, Viewer } from '../app/services/context.ts'
import { receiveUpload } from '../app/services/uploads/uploads.server.ts'
import { adaJoined } from './activity/plan.ts'
import { uidOf } from './demo-parts.ts'
import { buildPdf } from './pdf.ts'

type Message = {
  slug: string
  daysAgo: number
  subject: string
  text: string
  file?: { name: string; lines: string[] }
}

const dayMs = 86_400_000
/** The oldest message, pinned to the top. */
const pinned = 'welcome'

/** Sends the messages. The recipients' accounts must exist. */
export async function seedAnnouncements(ctx: Ctx): Promise<void> {
  const people = await ctx.db
    .selectFrom('users')
    .select(['id', 'uid', 'email'])
    .where('site_id', '=', ctx.site.id)
    .where((eb) => eb.or(['learner@%', 'instructor@%'].map((pattern) => eb('email', 'like', pattern))))
    .execute()
  if (people.length === 0) return
  for (const message of messagesOf(ctx)) {
    const uid = uidOf(ctx, 'message', message.slug)
    if (await isThere(ctx, uid)) continue
    const sentAt = new Date(ctx.now.getTime() - message.daysAgo * dayMs)
    await sendDashboardAnnouncement(
      { ...ctx, now: sentAt },
      {
        uid,
        subject: message.subject,
        text: message.text,
        from: `The ${brands[ctx.site.key].name} team`,
        userUids: people.map((person) => person.uid),
        attachment: message.file ? await uploadSheet(ctx, message.subject, message.file) : null,
      },
    )
    if (message.slug !== pinned) continue
    for (const { id, uid: userUid, email } of people) {
      const viewer = personOf(ctx, { id, uid: userUid, email: email ?? '' })
      await markOpened({ ...ctx, viewer, now: sentAt }, { uid })
      await pinAnnouncement({ ...ctx, viewer, now: sentAt }, { uid, isPinned: true })
    }
  }
}

/** Writes a draft by email, and a message for dashboards that is sent in two weeks. The demo's audiences must exist. */
export async function seedMessagesToSend(ctx: Ctx): Promise<void> {
  const { items } = await listAudiences(ctx)
  const audienceOf = (start: string) =>
    items.filter(({ name }) => name.startsWith(start)).map(({ uid }) => ({ kind: 'addAudience', uid }) as const)
  const draft = uidOf(ctx, 'message', 'come-back')
  if (!(await isThere(ctx, draft))) {
    await createAnnouncement(ctx, {
      uid: draft,
      name: 'Come back',
      subject: 'Your place is kept, {{first name}}',
      text: `You have not been here for a while. Whatever you had begun is where you left it.

[Continue your learning](${ctx.site.baseUrl}/my-learning/in-progress/)`,
      deliveryType: 'email',
      recipients: audienceOf('Not seen'),
    })
  }
  const scheduled = uidOf(ctx, 'message', 'journal-club')
  if (await isThere(ctx, scheduled)) return
  const day = dayOf(new Date(ctx.now.getTime() + 14 * dayMs), ctx.site.timeZone)
  await createAnnouncement(ctx, {
    uid: scheduled,
    name: 'Journal club',
    subject: 'The journal club meets on Thursday',
    text: 'We read one trial together. Bring a sentence about what you expect it to show.',
    recipients: audienceOf('Academic'),
    send: { when: 'later', sendAt: `${day}T09:00` },
  })
}

async function isThere(ctx: Ctx, uid: string): Promise<boolean> {
  const row = await ctx.db.selectFrom('announcements').select('id').where('uid', '=', uid).executeTakeFirst()
  return row !== undefined
}

async function uploadSheet(ctx: Ctx, title: string, file: { name: string; lines: string[] }): Promise<string> {
  const source = Readable.from([buildPdf(title, file.lines)])
  const { name } = await receiveUpload(ctx, { kind: 'attachment', fileName: file.name, source })
  return name
}

function personOf(ctx: Ctx, person: Pick<Viewer, 'id' | 'uid' | 'email'>): Viewer {
  return { ...person, siteId: ctx.site.id, firstName: '', lastName: '', groups: [], planId: null, accessEndedAt: null }
}

function messagesOf(ctx: Ctx): Message[] {
  const { name } = brands[ctx.site.key]
  const to = (path: string) => `${ctx.site.baseUrl}${path}`
  return [
    {
      slug: pinned,
      daysAgo: adaJoined - 1,
      subject: `Welcome to ${name}`,
      text: `Good to have you here. Three things that help on the first day:

1. **Begin with one module.** Most take about ten minutes, and you can stop wherever you like; [My Learning](${to('/my-learning/')}) brings you back to the exact place.
2. **Save what looks interesting.** It waits for you under Saved.
3. **Look words up.** The [glossary](${to('/glossary/')}) explains the terms of the field in a sentence or two.

If something does not work as it should, [write to us](${to('/contact-us/')}). A person answers.`,
    },
    {
      slug: 'new-course',
      daysAgo: 9,
      subject: 'New course: Safety across the Life of a Medicine',
      text: `A new course is open to you. It follows one question, *is it safe?*, from toxicology before the first dose to reports from daily use after approval.

You need no chemistry for it. [Open the course](${to(`/courses/${uidOf(ctx, 'course', 'safety-across-the-life-of-a-medicine')}/`)}) or look at [all courses](${to('/courses/')}).`,
    },
    {
      slug: 'maintenance',
      daysAgo: 4,
      subject: 'Short maintenance on Sunday, 06:00 to 06:30 UTC',
      text: `We move to new machines on Sunday. From 06:00 to 06:30 UTC pages may answer slowly or not at all.

Nothing that you have done is lost: whatever a module has reported until then is stored. If you are in the middle of a module at that time, close it before six and resume it afterwards.

The attached sheet says the same for your notice board.`,
      file: {
        name: 'maintenance-notice.pdf',
        lines: [
          'Sunday, 06:00 to 06:30 UTC',
          '',
          `${name} moves to new machines.`,
          'Pages may answer slowly or not at all in that time.',
          'Progress that was reported before is stored.',
          'Please close modules before six and resume them afterwards.',
        ],
      },
    },
    {
      slug: 'reading-a-trial',
      daysAgo: 1,
      subject:
        'How to read a trial report in twenty minutes: a guide for journal clubs, with the numbers that matter and those that do not',
      text: readingATrial,
    },
  ]
}

const readingATrial = `Several of you asked for a way to prepare a journal club without losing an evening. This is ours.

## Before you read

Write down what you expect. One sentence is enough: *I expect that the drug lowers blood pressure by 5 mmHg more than placebo.* Whoever has written it down cannot be talked out of it by a well-made figure.

## The first ten minutes

- **The question.** Who was treated, with what, against what, and what was counted?
  - Was the outcome chosen before the trial began? Registers such as [ClinicalTrials.gov](https://clinicaltrials.gov/) say.
  - Is it something that a patient would notice?
- **The numbers lost.** How many were randomized, and how many are in the analysis?
- **The comparison.** Was the control group treated as well as it would be at home?

## The second ten minutes

Look at one table only, that of the primary outcome, and work out what it says for a hundred people:

| Measure | Treated | Control | For 100 people |
| :-- | --: | --: | :-- |
| Event within a year | 12 % | 16 % | 4 fewer have it |
| Stopped because of side effects | 9 % | 4 % | 5 more stop |
| Died of any cause | 3.1 % | 3.3 % | no difference that could be told |

> A relative reduction of 25 % is the same result as four people in a hundred. Only one of the two fits on a slide.

### What to leave for later

1. Subgroups, unless they were named before.
2. Anything that is called *exploratory*.
3. The discussion. You have read the trial; now have your own.

The reporting checklist that most journals use is [CONSORT](https://www.consort-spirit.org/). It is short, and worth having beside you.`
