/**
 * An author makes two modules, a lecture and a video, builds a course from the modules and plans all of it for tomorrow.
 * Halfway her browser ends. The next day a learner finds everything.
 */
import { randomUUID } from 'node:crypto'
import { expect, type Locator, type Page } from '@playwright/test'
import { brands } from '~/config/brands.ts'
import { runScheduledChanges } from '~/services/schedule/schedule.server.ts'
import { aPicture } from '../../support/attachments.ts'
import { aContext } from '../../support/context.ts'
import { packageZip } from '../../support/package-zip.ts'
import type { Hand } from '../support/hands.ts'
import { journey } from '../support/journey.ts'

const dayMs = 86_400_000

// every kind of content is made, and reaches a learner.
journey('author', ['without JavaScript'], async (hand, { crowd, product, site, comeAs }) => {
  const { page, press, reach, hasScripts } = hand
  const [author, learner] = [await crowd.anAuthor(), await crowd.aLearner()]
  const mark = randomUUID().slice(0, 6)
  const named = (name: string) => `${name} ${mark}`
  const plan = brands[site].subsidizedPlan
  const address = `/films/six-volunteers-${site === 'ns' ? 'ns' : 'titrate'}.mp4`
  await comeAs(author)

  const made: { kind: string; uid: string }[] = []
  for (const name of ['Alpha', 'Beta']) {
    made.push(await aModule(hand, { name: named(name), plan }))
  }
  made.push(await aFilm(hand, 'lecture', { name: named('Lecture'), plan, address }))
  made.push(await aFilm(hand, 'video', { name: named('Video'), plan, address }))

  await page.goto('/dashboard/courses/new/')
  await reach(page.getByLabel('Name', { exact: true }))
  await hand.type(page.getByLabel('Name', { exact: true }), named('Course'))
  await hand.choose(page.getByRole('checkbox', { name: plan }))
  if (hasScripts) {
    // The browser ends. Nothing asks, and nothing is saved.
    await page.goto('about:blank')
    await page.goto('/dashboard/courses/new/')
    await press(page.getByRole('button', { name: 'Restore changes' }))
    await reach(page.getByText(/Your unsaved changes from .* are back/))
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue(named('Course'))
  }
  await buildOutline(hand, [named('Alpha'), named('Beta')])
  await save(hand)
  await reach(page.getByText(`Course "${named('Course')}" has been created.`).first())
  made.push({ kind: 'course', uid: uidIn(page) })

  for (const { kind, uid } of made) {
    await page.goto(`/dashboard/${kind}s/${uid}/schedule/`)
    await reach(page.getByRole('button', { name: 'Schedule', exact: true }))
    await press(page.getByRole('button', { name: 'Schedule', exact: true }))
    await reach(page.getByText(/will be published on .*9:00 AM\./).first())
  }
  await page.goto('/dashboard/schedule/')
  await reach(page.getByText(named('Course')))

  const ctx = await aContext(product.db, { site })
  await runScheduledChanges({ ...ctx, now: new Date(Date.now() + 2 * dayMs) })

  await comeAs(learner)
  for (const [address, name] of [
    ['/courses/', 'Course'],
    [`/lectures/${uidOf(made, 'lecture')}/`, 'Lecture'],
    [`/videos/${uidOf(made, 'video')}/`, 'Video'],
  ] as const) {
    await page.goto(address)
    await reach(page.getByRole('heading', { name: named(name) }))
  }
  await page.goto(`/courses/${uidOf(made, 'course')}/`)
  await reach(page.getByText(named('Alpha')))
  await reach(page.getByText(named('Beta')))
})

const uidOf = (made: { kind: string; uid: string }[], kind: string) => made.find((one) => one.kind === kind)?.uid ?? ''

function uidIn(page: Page): string {
  return /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(page.url())?.[0] ?? ''
}

async function save({ page, press }: Hand): Promise<void> {
  await press(page.getByRole('button', { name: 'Save', exact: true }))
}

type Named = { name: string; plan: string }

async function fillDetails(hand: Hand, { name, plan }: Named): Promise<void> {
  const { page, type, choose } = hand
  await hand.reach(page.getByLabel('Name', { exact: true }))
  await type(page.getByLabel('Name', { exact: true }), name)
  await sendFile(hand, page.locator('input[type=file]').first(), {
    name: 'plate.png',
    mimeType: 'image/png',
    buffer: await aPicture(),
  })
  await type(page.getByLabel('Cover image description'), 'A plate with 96 wells')
  await choose(page.getByRole('checkbox', { name: plan }))
}

type File = { name: string; mimeType: string; buffer: Buffer }

/** Chooses a file, and waits for the upload where scripts send it at once. */
async function sendFile({ page, hasScripts }: Hand, input: Locator, file: File): Promise<void> {
  await input.setInputFiles(file)
  if (hasScripts) await expect(page.getByText(file.name, { exact: true })).toBeVisible()
}

async function aModule(hand: Hand, module: Named) {
  const { page, press, hasScripts } = hand
  await page.goto('/dashboard/modules/new/')
  await fillDetails(hand, module)
  if (hasScripts) await press(page.getByRole('button', { name: 'Next' }))
  const zip = { name: 'package.zip', mimeType: 'application/zip', buffer: packageZip() }
  await sendFile(hand, page.locator('input[type=file]').last(), zip)
  await save(hand)
  await hand.reach(page.getByText('Module has been saved.').first())
  await expect(async () => {
    if (!hasScripts) await page.reload()
    await expect(page.getByText('The package of v1 is ready').first()).toBeAttached({ timeout: 1000 })
  }).toPass({ timeout: 20_000 })
  return { kind: 'module', uid: uidIn(page) }
}

async function aFilm(hand: Hand, kind: 'lecture' | 'video', film: Named & { address: string }) {
  const { page, press, type, choose, hasScripts } = hand
  await page.goto(`/dashboard/${kind}s/new/`)
  await fillDetails(hand, film)
  await type(page.getByLabel('Description', { exact: true }), 'What a plate tells')
  if (kind === 'video') await page.getByLabel('Category').selectOption('animation')
  else await choose(page.getByLabel('Add to Lectures page'))
  if (hasScripts) await press(page.getByRole('button', { name: 'Next' }))
  await type(page.getByLabel('Video URL'), film.address)
  if (kind === 'lecture') await writeQuestions(hand)
  await save(hand)
  await hand.reach(page.getByText(`${kind === 'lecture' ? 'Lecture' : 'Video'} has been saved.`).first())
  return { kind, uid: uidIn(page) }
}

async function writeQuestions({ page, hasScripts }: Hand): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'Guiding questions' })
  if (!hasScripts) return editor.fill('What does the plate tell?')
  await expect(page.locator('.editor-text')).toBeVisible()
  await editor.focus()
  await page.keyboard.type('What does the plate tell?')
}

/** Adds a section with a chapter that has these modules. */
async function buildOutline(hand: Hand, modules: string[]): Promise<void> {
  const { page, press, type, hasScripts } = hand
  if (hasScripts) await press(page.getByRole('button', { name: 'Next' }))
  await press(page.getByRole('button', { name: 'Add section' }))
  await type(page.getByLabel('Section name'), 'Basics')
  await press(page.getByRole('button', { name: 'Add chapter' }))
  await type(page.getByLabel('Chapter name'), 'First chapter')
  await press(page.getByRole('button', { name: 'Add modules' }))
  for (const module of modules) {
    await type(page.getByLabel('Search modules'), module)
    if (!hasScripts) await press(page.getByRole('button', { name: 'Search', exact: true }))
    // The list is drawn again when the answer to the search comes.
    await expect(() => press(page.getByRole('button', { name: `Add ${module}`, exact: true }))).toPass()
  }
  if (hasScripts) await press(page.getByRole('button', { name: 'Submit' }))
  else await press(page.locator('button[name=build][value^="add-modules:"]'))
  for (const module of modules) await expect(page.locator('.sortable-name', { hasText: module })).toBeVisible()
}
