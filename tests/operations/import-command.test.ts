/** `npm run modules:import`: a package becomes a new module, or the next version of the module with its name. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'
import { auXml, courseXml, packageZip, texts } from '../support/packages.ts'

async function anInstallation() {
  const databaseUrl = await freshDatabase()
  const { db, close } = await openTestDatabase(databaseUrl)
  const folder = mkdtempSync(path.join(tmpdir(), 'titrate-test-import-'))
  onTestFinished(async () => {
    await close()
    rmSync(folder, { recursive: true, force: true })
  })
  const run = (...args: string[]) => {
    const env = {
      PATH: process.env.PATH,
      NODE_ENV: 'production' as const,
      DATABASE_URL: databaseUrl,
      DATA_DIR: folder,
      LOG_LEVEL: 'silent',
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/commands.js', 'modules:import', ...args], {
      env,
      encoding: 'utf8',
    })
    return { status, text: stdout + stderr }
  }
  const aFile = (bytes: Buffer, name = 'cell-models-v3.zip') => {
    const file = path.join(folder, name)
    writeFileSync(file, bytes)
    return file
  }
  return { db, run, aFile }
}

/** A course titled Cell Models. */
const titled = (content = auXml()) =>
  packageZip(
    courseXml(content, { course: `<course id="https://example.org/c">${texts('Cell Models', 'A course')}</course>` }),
  )

test('the first package creates the module, the next one adds a version, and each reports the result', async () => {
  const { db, run, aFile } = await anInstallation()
  const good = aFile(titled())
  const target = ['--site', 'institutional', '--plan', 'Full Access']
  expect(run(good, ...target, '--publish', '--chapter', 'Screening')).toEqual({
    status: 0,
    text: '"Cell Models" version 1 is imported and published (created).\n',
  })
  expect(run(good, ...target)).toEqual({ status: 0, text: '"Cell Models" version 2 is imported (new version).\n' })
  const bad = run(aFile(titled(auXml({ url: 'missing.html' }))), ...target, '--publish')
  expect(bad).toEqual({ status: 1, text: expect.stringContaining('missing.html') })
  expect(run(aFile(titled()), ...target, '--publish').text).toBe(
    '"Cell Models" version 3 is imported and published (replaced).\n',
  )
  expect(run(aFile(Buffer.from('no package'), 'Broken.zip'), ...target).text).toContain('neither a zip nor an XML file')
  expect(run(good, ...target, '--name', 'Named').text).toBe('"Named" version 1 is imported (created).\n')
  const modules = await db
    .selectFrom('modules')
    .innerJoin('module_versions', 'module_versions.id', 'modules.published_version_id')
    .innerJoin('module_chapters', 'module_chapters.module_id', 'modules.id')
    .innerJoin('chapters', 'chapters.id', 'module_chapters.chapter_id')
    .select(['modules.name', 'module_versions.version', 'chapters.name as chapter'])
    .execute()
  expect(modules).toEqual([{ name: 'Cell Models', version: 3, chapter: 'Screening' }])
})

test('a package that cannot be imported ends with a message and leaves no module', async () => {
  const { db, run, aFile } = await anInstallation()
  const file = aFile(packageZip())
  for (const [args, sentence] of [
    [['/nowhere/module.zip', '--site', 'ns', '--plan', 'Full Access'], 'The file /nowhere/module.zip cannot be read.'],
    [[file, '--site', 'ns', '--plan', 'Gold'], 'There is no access plan "Gold".'],
    [[file, '--site', 'ns', '--plan', 'Full Access', '--chapter', 'Phase 9'], 'There is no chapter "Phase 9".'],
    [[file, '--site', 'elsewhere', '--plan', 'Full Access'], 'Usage: npm run modules:import'],
    [[file, '--site', 'ns'], 'Usage: npm run modules:import'],
  ] as const) {
    const { status, text } = run(...args)
    expect(text).toContain(sentence)
    expect(status).not.toBe(0)
  }
  expect(await db.selectFrom('modules').select('id').execute()).toEqual([])
})
