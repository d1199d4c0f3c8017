/** One journey makes two tests, or four in the long run: the same steps, each time done in a different way. */

import type { SiteKey } from '~/config/brands.ts'
import { isLong } from '../../support/long.ts'
import { expectAccessible } from './axe.ts'
import { type Crowd, openCrowd, type Person } from './crowd.ts'
import { type Hand, handOf, type Mode } from './hands.ts'
import { haveSessionOf } from './people.ts'
import type { Product } from './product.ts'
import { test as base, expect, type Smtp } from './server.ts'

export { expect }

type World = {
  crowd: Crowd
  product: Product
  site: SiteKey
  /** What a file with `usesSmtp` has sent. */
  smtp: Smtp
  /** Gives the page a session of this person. */
  comeAs: (person: Person) => Promise<void>
}

const test = base.extend<{ crowd: Crowd }>({
  crowd: async ({ product, site }, use) => use(await openCrowd(product, site)),
})

// A learner without preferences or bookmark has none: the clients ask, and the browser reports the 404 (cmi5 11).
// Content has no favicon.
const allowedErrors = [/404 .*(cmi5LearnerPreferences|stateId=bookmark|favicon\.ico)/]

/** Each brand gets one easy and one hard way. */
const modes = {
  normal: { site: 'institutional', viewport: { width: 1440, height: 900 } },
  'without JavaScript': { site: 'ns', viewport: { width: 1280, height: 800 }, javaScriptEnabled: false },
  'keyboard only': { site: 'institutional', viewport: { width: 1280, height: 800 } },
  '320 px, reduced motion': {
    site: 'ns',
    viewport: { width: 320, height: 640 },
    contextOptions: { reducedMotion: 'reduce' },
  },
} as const satisfies Record<Mode, object>

const allModes = Object.keys(modes) as Mode[]

/**
 * Does the steps without JavaScript and in one other way, which is different for journeys through similar pages. A
 * journey that takes long is done in one way: `journey(name, [mode], steps)`, or with `[]` only in the long run, if an HTTP
 * test does the same without JavaScript. The long run does each in all four.
 */
export function journey(
  name: string,
  usual: Mode | [Mode] | [],
  steps: (hand: Hand, world: World) => Promise<void>,
): void {
  const usualModes: Mode[] = typeof usual === 'string' ? ['without JavaScript', usual] : usual
  const ways = isLong ? allModes : usualModes
  for (const mode of ways) {
    test.describe(() => {
      test.use({ allowedErrors, ...modes[mode] })

      test(`${name} · ${mode}`, async ({ page, crowd, product, site, smtp }) => {
        const comeAs = ({ email }: Person) => haveSessionOf(page, email, site)
        await steps(handOf(page, mode), { crowd, product, site, smtp, comeAs })
        if (mode === 'normal' || mode === '320 px, reduced motion') await expectAccessible(page)
      })
    })
  }
}
