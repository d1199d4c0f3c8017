/** The cover and the banner of a course. */
import type { CourseValues } from '~/forms/courses.ts'
import type { Ctx } from '../context.ts'
import type { Derivative } from '../storage/images.server.ts'
import { prepareCover, recordCover } from '../uploads/covers.server.ts'

type Field = 'coverImg' | 'bannerImg'
export type Pictures = Record<Field, Derivative | null>

/** `isFromHistory`: the course had these pictures before. */
type From = { isFromHistory?: boolean }

/** Makes the pictures that others see. This takes a while, so call it without holding locks. */
export async function preparePictures(
  ctx: Ctx,
  values: Partial<Pick<CourseValues, Field>>,
  { isFromHistory }: From = {},
): Promise<Pictures> {
  const prepare = async (field: Field) => {
    const name = values[field]
    return typeof name === 'string' ? prepareCover(ctx, { name, field, isFromHistory }) : null
  }
  return { coverImg: await prepare('coverImg'), bannerImg: await prepare('bannerImg') }
}

/** Records prepared pictures and returns the uids of their uploads: null removes one, undefined leaves it. */
export async function recordPictures(
  ctx: Ctx,
  values: Partial<Pick<CourseValues, Field>>,
  pictures: Pictures,
  { isFromHistory }: From = {},
) {
  const record = async (field: Field) => {
    const name = values[field]
    return typeof name === 'string' ? recordCover(ctx, { name, field, isFromHistory, prepared: pictures[field] }) : name
  }
  return { coverFileUid: await record('coverImg'), bannerFileUid: await record('bannerImg') }
}
