import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import yazl from 'yazl'
import type { Product } from './product.ts'
import { productEnv } from './product-env.ts'

/** Runs an operator's command on the product under test. Returns its output. */
export async function runOn(product: Product, ...args: string[]): Promise<string> {
  const { databaseUrl, dataDir, origin, nsOrigin } = product
  const { stdout } = await promisify(execFile)(process.execPath, ['dist/commands.js', ...args], {
    env: productEnv({ databaseUrl, dataDir, SITE_ORIGIN: origin, NS_SITE_ORIGIN: nsOrigin, LOG_LEVEL: 'silent' }),
  })
  return stdout
}

/** The link of an invitation, on the site's own address. */
export async function inviteAdmin(product: Product, email: string, site: 'institutional' | 'ns'): Promise<string> {
  const output = await runOn(product, 'admin', 'create', email, '--site', site, '--first', 'Noor')
  return /https?:\/\/\S+/.exec(output)?.[0] ?? ''
}

type Unit = {
  title: string
  html: string
  launchMethod?: 'AnyWindow' | 'OwnWindow'
  moveOn?: string
  masteryScore?: number
}

/** Imports and publishes a package of plain pages, one page per unit. */
export async function importModule(product: Product, name: string, units: Unit[], chapter?: string): Promise<void> {
  const folder = await mkdtemp(path.join(product.dataDir, 'import-'))
  const file = path.join(folder, 'package.zip')
  await writeFile(file, await zipOf(name, units))
  const placed = chapter ? ['--chapter', chapter] : []
  await runOn(
    product,
    ...['modules:import', file, '--site', 'institutional', '--plan', 'Institute Access', '--name', name, '--publish'],
    ...placed,
  )
  await rm(folder, { recursive: true })
}

async function zipOf(name: string, units: Unit[]): Promise<Buffer> {
  const zip = new yazl.ZipFile()
  zip.addBuffer(Buffer.from(structureOf(name, units)), 'cmi5.xml')
  units.forEach((unit, index) => {
    zip.addBuffer(
      Buffer.from(`<!doctype html><html lang="en"><title>${unit.title}</title>${unit.html}`),
      `${index}.html`,
    )
  })
  zip.end()
  const parts: Buffer[] = []
  for await (const part of zip.outputStream) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

function structureOf(name: string, units: Unit[]): string {
  const text = (value: string) => `<langstring lang="en">${value}</langstring>`
  const id = `https://example.org/${encodeURIComponent(name)}`
  const aus = units.map(
    (
      unit,
      index,
    ) => `<au id="${id}/${index}" moveOn="${unit.moveOn ?? 'Completed'}" launchMethod="${unit.launchMethod ?? 'AnyWindow'}"${unit.masteryScore === undefined ? '' : ` masteryScore="${unit.masteryScore}"`}>
      <title>${text(unit.title)}</title><description>${text(unit.title)}</description><url>${index}.html</url></au>`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
    <courseStructure xmlns="https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd">
    <course id="${id}"><title>${text(name)}</title><description>${text(name)}</description></course>${aus.join('')}</courseStructure>`
}
