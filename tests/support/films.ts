import { randomUUID } from 'node:crypto'
import { searchKey } from '~/lib/text.ts'
import type { Database } from '~db/client.server.ts'
import { planOf } from './context.ts'

type Options = {
  name?: string
  site?: 'institutional' | 'ns'
  plans?: string[]
  status?: 'draft' | 'published'
  comingSoon?: boolean
  deleted?: boolean
  inLecturesPage?: boolean
  phases?: string[]
  videoUrl?: string
  chapter?: string
  category?: 'expert' | 'case_study' | 'animation'
  position?: number
}

export type TestFilm = { id: number; uid: string; name: string }

async function siteOf(db: Database, options: Options): Promise<number> {
  const site = db
    .selectFrom('sites')
    .select('id')
    .where('key', '=', options.site ?? 'institutional')
  return (await site.executeTakeFirstOrThrow()).id
}

const common = (siteId: number, options: Options) => {
  const name = options.name ?? `Film ${randomUUID()}`
  return {
    site_id: siteId,
    name,
    search_key: searchKey(name),
    description: 'What it is about',
    status: options.status ?? ('published' as const),
    video_url: options.videoUrl ?? '/films/test.mp4',
    duration: 20,
    phases: options.phases ?? ['Discover'],
    deleted_at: options.deleted ? new Date() : null,
  }
}

export async function aLecture(db: Database, options: Options = {}): Promise<TestFilm> {
  const siteId = await siteOf(db, options)
  const lecture = await db
    .insertInto('lectures')
    .values({
      ...common(siteId, options),
      presenter: 'Prof. Ines Halvorsen',
      questions_markdown: '1. Why?',
      in_lectures_page: options.inLecturesPage ?? true,
      coming_soon: options.comingSoon ?? false,
    })
    .returning(['id', 'uid', 'name'])
    .executeTakeFirstOrThrow()
  for (const plan of options.plans ?? ['Full Access']) {
    const access_plan_id = await planOf(db, siteId, plan)
    await db
      .insertInto('lecture_access_plans')
      .values({ site_id: siteId, lecture_id: lecture.id, access_plan_id })
      .execute()
  }
  if (options.chapter) {
    const chapter = await db
      .selectFrom('chapters')
      .select('id')
      .where('site_id', '=', siteId)
      .where('name', '=', options.chapter)
      .executeTakeFirstOrThrow()
    await db
      .insertInto('lecture_chapters')
      .values({ site_id: siteId, lecture_id: lecture.id, chapter_id: chapter.id, position: options.position ?? 0 })
      .execute()
  }
  return lecture
}

export async function aVideo(db: Database, options: Options = {}): Promise<TestFilm> {
  const siteId = await siteOf(db, options)
  const video = await db
    .insertInto('videos')
    .values({
      ...common(siteId, options),
      category: options.category ?? 'animation',
      position: options.position ?? 0,
    })
    .returning(['id', 'uid', 'name'])
    .executeTakeFirstOrThrow()
  for (const plan of options.plans ?? ['Full Access']) {
    const access_plan_id = await planOf(db, siteId, plan)
    await db.insertInto('video_access_plans').values({ site_id: siteId, video_id: video.id, access_plan_id }).execute()
  }
  return video
}
