import { z } from 'zod'

/** Content that is shown as learners of a plan would see it. Modules have a preview of their own, which launches them. */
export const previewedKinds = ['course', 'lecture', 'video'] as const
export type PreviewedKind = (typeof previewedKinds)[number]

export const previewLinkDays = 7
export const mostPreviewLinks = 20

export const previewLinkForm = z.object({ planUid: z.string().min(1, 'Please choose a group.') })
