/**
 * The four ways in which people use the product. A journey is written once, for a hand; the hand knows how to do each
 * step.
 */
import { expect, type Locator, type Page } from '@playwright/test'
import { expectNoSidewaysScroll } from './axe.ts'
import { tabTo } from './focus.ts'
import { expectNothingCovered, expectStillness, expectTouchable } from './narrow.ts'
import { scriptsRun } from './scripts-run.ts'

export type Mode = 'normal' | 'without JavaScript' | 'keyboard only' | '320 px, reduced motion'

export type Hand = {
  page: Page
  /**
   * True if the browser runs our scripts. Where the page offers something else without them, the journey checks this.
   */
  hasScripts: boolean
  /** True in a narrow window, where the journey has to unfold parts that are open in a wide one. */
  isNarrow: boolean
  /** Waits for a page or state by something that it shows. */
  reach: (landmark: Locator) => Promise<void>
  /** Presses a link, a button or the head of a foldable part. */
  press: (target: Locator) => Promise<void>
  /** Types into a field and replaces its text. */
  type: (field: Locator, text: string) => Promise<void>
  /** Chooses a radio button, or a checkbox that is not checked. */
  choose: (option: Locator) => Promise<void>
  /** Chooses from a drop-down list. */
  pick: (list: Locator, label: string) => Promise<void>
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
    pick: async (list, label) => {
      await list.selectOption({ label })
    },
  }
}

/** Uses Tab, Enter, Space and the arrow keys. */
function withKeys(page: Page): Hand {
  return {
    ...withMouse(page),
    press: async (target) => {
      if (await isInGrid(target)) return operateCell(page, target)
      await tabTo(page, target)
      // A button is marked as disabled while the page loads after a post. A click waits for its end by itself.
      await expect(target).toBeEnabled()
      const isLink = await target.evaluate((element) => element instanceof HTMLAnchorElement)
      await page.keyboard.press(isLink ? 'Enter' : 'Space')
    },
    type: async (field, text) => {
      // Reaching a field with Tab selects its text.
      await tabTo(page, field)
      await page.keyboard.type(text)
      const isRich = await field.evaluate((element) => (element as HTMLElement).isContentEditable)
      await (isRich ? expect(field).toHaveText(text) : expect(field).toHaveValue(text))
    },
    choose: async (option) => {
      if (await isInGrid(option)) {
        await operateCell(page, option)
        return expect(option).toBeChecked()
      }
      await tabTo(page, option)
      const isHere = () => option.evaluate((element) => element === document.activeElement)
      for (let count = 0; count < 30 && !(await isHere()); count++) await page.keyboard.press('ArrowDown')
      if (!(await option.isChecked())) await page.keyboard.press('Space')
      await expect(option).toBeChecked()
    },
    pick: async (list, label) => {
      await tabTo(page, list)
      await page.keyboard.type(label)
      await expect(list.locator('option:checked')).toHaveText(label)
    },
  }
}

/** Says whether an element is in the table of a console section. If so, waits for the grid, which loads later. */
async function isInGrid(target: Locator): Promise<boolean> {
  const isInside = (selector: string) =>
    target.evaluate((element, selector) => element.closest(selector) !== null, selector)
  const isInTable = await isInside('.tablebox:has(.tablefoot)')
  if (isInTable) await expect.poll(() => isInside('.livegrid')).toBe(true)
  return isInTable
}

/** Operates what is in a cell of a grid. Tab leads to the heads of the columns, and the arrow keys to the cell. */
async function operateCell(page: Page, target: Locator): Promise<void> {
  await tabTo(page, page.getByRole('button', { name: /^Columns/ }))
  await page.keyboard.press('Tab')
  const { row, column } = await target.evaluate((element) => {
    const numberIn = (selector: string, name: string) => Number(element.closest(selector)?.getAttribute(name))
    return { row: numberIn('.ag-row', 'row-index') + 1, column: numberIn('.ag-cell', 'aria-colindex') - 1 }
  })
  for (let count = 0; count < row; count++) await page.keyboard.press('ArrowDown')
  for (let count = 0; count < column; count++) await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
}

/** Uses a small window, like a phone or a large window at 400 %. */
function withThumb(page: Page): Hand {
  const mouse = withMouse(page)
  const touching = async (target: Locator, act: () => Promise<void>) => {
    await expectNoSidewaysScroll(page)
    await expectTouchable(target)
    // A notice may lie over what is pressed next. It stays while the pointer is on it.
    if (!(await target.evaluate((element) => element.closest('.toast') !== null))) {
      const dismiss = page.locator('.toast').getByRole('button', { name: 'Dismiss', exact: true })
      await dismiss.evaluateAll((all) => {
        for (const button of all) (button as HTMLButtonElement).click()
      })
    }
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
    pick: (list, label) => touching(list, () => mouse.pick(list, label)),
  }
}
