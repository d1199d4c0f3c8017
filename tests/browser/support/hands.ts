/** The four ways in which a person goes through the product. A journey is written once, for a hand; the hand knows how it is done. */
import { expect, type Locator, type Page } from '@playwright/test'
import { expectNoSidewaysScroll } from './axe.ts'
import { tabTo } from './focus.ts'
import { expectNothingCovered, expectStillness, expectTouchable } from './narrow.ts'
import { scriptsRun } from './scripts-run.ts'

export type Mode = 'normal' | 'without JavaScript' | 'keyboard only' | '320 px, reduced motion'

export type Hand = {
  page: Page
  /** Whether the browser runs our scripts: where the page offers something else without them, the journey says so. */
  hasScripts: boolean
  /** Where the page folds what stands open in a wide window, the journey unfolds it. */
  isNarrow: boolean
  /** A page or state that one has come to, by something that it shows. */
  reach: (landmark: Locator) => Promise<void>
  /** A link, a button or the head of something that folds. */
  press: (target: Locator) => Promise<void>
  /** Into a field, in place of what it holds. */
  type: (field: Locator, text: string) => Promise<void>
  /** A radio button, or a tick box that is not ticked. */
  choose: (option: Locator) => Promise<void>
}

export function handOf(page: Page, mode: Mode): Hand {
  if (mode === 'keyboard only') return withKeys(page)
  if (mode === '320 px, reduced motion') return withThumb(page)
  return withMouse(page, mode !== 'without JavaScript')
}

function withMouse(page: Page, hasScripts = true): Hand {
  return {
    page,
    hasScripts,
    isNarrow: false,
    reach: async (landmark) => {
      await expect(landmark).toBeVisible()
      if (hasScripts) await scriptsRun(page)
    },
    press: (target) => target.click(),
    type: (field, text) => field.fill(text),
    choose: (option) => option.check(),
  }
}

/** Tab, Enter, Space and the arrows. */
function withKeys(page: Page): Hand {
  return {
    ...withMouse(page),
    press: async (target) => {
      await tabTo(page, target)
      const isLink = await target.evaluate((element) => element instanceof HTMLAnchorElement)
      await page.keyboard.press(isLink ? 'Enter' : 'Space')
    },
    type: async (field, text) => {
      // Coming by Tab selects what a field holds.
      await tabTo(page, field)
      await page.keyboard.type(text)
      await expect(field).toHaveValue(text)
    },
    choose: async (option) => {
      await tabTo(page, option)
      const isHere = () => option.evaluate((element) => element === document.activeElement)
      for (let count = 0; count < 30 && !(await isHere()); count++) await page.keyboard.press('ArrowDown')
      if (!(await option.isChecked())) await page.keyboard.press('Space')
      await expect(option).toBeChecked()
    },
  }
}

/** A small window, as a phone has it, or a large one at 400 %. */
function withThumb(page: Page): Hand {
  const mouse = withMouse(page)
  const touching = async (target: Locator, act: () => Promise<void>) => {
    await expectNoSidewaysScroll(page)
    await expectTouchable(target)
    await act()
  }
  return {
    ...mouse,
    isNarrow: true,
    reach: async (landmark) => {
      await mouse.reach(landmark)
      await expectNoSidewaysScroll(page)
      await expectNothingCovered(page)
      await expectStillness(page)
    },
    press: (target) => touching(target, () => mouse.press(target)),
    type: (field, text) => touching(field, () => mouse.type(field, text)),
    choose: (option) => touching(option, () => mouse.choose(option)),
  }
}
