/** What an operator's commands do, without their processes: each would take a second. */
import yazl from 'yazl'
import { createInvitation } from '~/services/invitations/invitations.server.ts'
import { aContext, asOperator } from '../../support/context.ts'
import { importAndRead } from '../../support/imports.ts'
import type { Product } from './product.ts'

/** The link of an invitation, on the site's own address. */
export async function inviteAdmin({ db }: Product, email: string, site: 'institutional' | 'ns'): Promise<string> {
  const operator = asOperator(await aContext(db, { site }))
  const { link } = await createInvitation(operator, { email, firstName: 'Noor', lastName: '', groups: ['admins'] })
  return link
}

type Unit = {
  title: string
  html: string
  launchMethod?: 'AnyWindow' | 'OwnWindow'
  moveOn?: string
  masteryScore?: number
}

/** Imports a package of plain pages, one page per unit, and publishes it unless it is to stay a draft. */
export async function importModule(
  { db }: Product,
  name: string,
  units: Unit[],
  { chapterName, isDraft = false }: { chapterName?: string; isDraft?: boolean } = {},
): Promise<void> {
  const { package: read } = await importAndRead(asOperator(await aContext(db)), {
    bytes: await zipOf(name, units),
    name,
    planName: 'Institute Access',
    publish: !isDraft,
    ...(chapterName !== undefined && { chapterName }),
  })
  if (read.status !== 'parsed') throw new Error(`The package of "${name}" was not read: ${read.lastMsg}`)
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
