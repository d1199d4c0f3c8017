import { z } from 'zod'
import { isStorable } from '~/lib/text.ts'

/** Limits of `/event/`: a name, at most twenty plain properties, and the size of the screen. */
const eventLimits = { name: 100, properties: 20, key: 60, value: 500, screen: 100_000 }

const text = (max: number) => z.string().max(max).refine(isStorable)
const side = z.number().int().min(0).max(eventLimits.screen)

export const eventForm = z.object({
  event: text(eventLimits.name).refine((name) => name.trim() !== ''),
  properties: z
    .record(text(eventLimits.key), z.union([text(eventLimits.value), z.number().finite(), z.boolean(), z.null()]))
    .default({})
    .refine((properties) => Object.keys(properties).length <= eventLimits.properties),
  screen: z.object({ width: side, height: side }).nullish(),
})

export type EventValues = z.output<typeof eventForm>
