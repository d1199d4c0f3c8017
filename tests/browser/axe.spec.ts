import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/axe.ts'

test('a page is measured after its transitions have ended', async ({ page }) => {
  await page.setContent(`
    <!doctype html><html lang="en"><title>Rest</title>
    <style>
      button { background: #fff; color: #ccc; transition: color 400ms linear }
      button.ready { color: #000 }
    </style>
    <main><h1>Rest</h1><button>Send</button></main>`)
  const button = page.getByRole('button')
  await expect(expectAccessible(page)).rejects.toThrow('color-contrast')
  await button.evaluate((element) => element.classList.add('ready'))
  await expectAccessible(page)
  await expect(button).toHaveCSS('color', 'rgb(0, 0, 0)')
})

test('an endless animation does not delay the measurement', async ({ page }) => {
  await page.setContent(`
    <!doctype html><html lang="en"><title>Loading</title>
    <style>
      @keyframes turn { to { rotate: 360deg } }
      i { display: inline-block; animation: turn 1s linear infinite }
    </style>
    <main><h1>Loading</h1><i>…</i></main>`)
  await expectAccessible(page)
})
