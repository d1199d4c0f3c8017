/** Lectures and videos as learners see them: the card with the viewer's own progress on it. */

import type { VideoCategory } from '~/forms/videos.ts'
import { imageAddress } from '~/lib/file-address.ts'
import type { FilmView } from '~/lib/learner-views.ts'
import type { Ctx } from '../context.ts'
import { findSaved } from '../favourites/favourites.server.ts'
import type { LectureCard } from '../lectures/lectures.server.ts'
import { type FilmProgress, findOwnFilmsProgress } from '../progress/progress.server.ts'
import type { Video } from '../videos/videos.server.ts'

export const categoryNames: Record<VideoCategory, string> = {
  expert: 'Expert',
  case_study: 'Case study',
  animation: 'Animation',
}

/** Adds what is the viewer's own to cards: progress, and whether they are saved. Two queries for all. */
export async function viewsOfLectures(ctx: Ctx, cards: LectureCard[]): Promise<FilmView[]> {
  const uids = cards.map(({ uid }) => uid)
  const [progress, saved] = await Promise.all([
    findOwnFilmsProgress(ctx, { kind: 'lecture', uids }),
    findSaved(ctx, { type: 'lecture', uids }),
  ])
  return cards.map((card) => ({
    ...viewOf(card, progress.get(card.uid), saved),
    kind: 'lecture',
    eyebrow: card.step,
    presenter: card.presenter,
    phase: phaseOf(card.phase),
    isComingSoon: card.comingSoon,
  }))
}

export async function viewsOfVideos(ctx: Ctx, videos: Video[]): Promise<FilmView[]> {
  const uids = videos.map(({ uid }) => uid)
  const [progress, saved] = await Promise.all([
    findOwnFilmsProgress(ctx, { kind: 'video', uids }),
    findSaved(ctx, { type: 'video', uids }),
  ])
  return videos.map((video) => ({
    ...viewOf(video, progress.get(video.uid), saved),
    kind: 'video',
    eyebrow: categoryNames[video.category],
    presenter: '',
    phase: phaseOf(video.phases[0]?.toLowerCase()),
    isComingSoon: false,
  }))
}

type Card = Pick<LectureCard, 'uid' | 'name' | 'description' | 'cover' | 'coverImgDesc' | 'duration' | 'isOpenable'>

function viewOf(card: Card, progress: FilmProgress | undefined, saved: ReadonlySet<string>) {
  return {
    uid: card.uid,
    name: card.name,
    description: card.description,
    cover: card.cover && { address: imageAddress(card.cover.imageUid), alt: card.coverImgDesc },
    duration: card.duration,
    isOpenable: card.isOpenable,
    percent: progress?.percent ?? null,
    positionSeconds: progress?.positionSeconds ?? 0,
    isSaved: saved.has(card.uid),
  }
}

function phaseOf(phase: string | null | undefined): FilmView['phase'] {
  return phase === 'discover' || phase === 'develop' || phase === 'deliver' ? phase : null
}
