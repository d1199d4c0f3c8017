/** The module dialog's side of the console: what its page shows of a module, and what it gives back when two people saved at once. */
import { writeTags } from '~/forms/tags.ts'
import { formatMoment } from '~/lib/dates.ts'
import { fileAddress } from '~/lib/file-address.ts'
import { formatFileSize } from '~/lib/file-size.ts'
import type { FileInfo } from '~/services/access/parts.server.ts'
import type { Ctx } from '~/services/context.ts'
import type { ModuleState } from '~/services/modules/module-state.server.ts'
import { statusOfModule } from '~/services/modules/modules.server.ts'
import type { ModuleVersion } from '~/services/modules/parts.server.ts'
import type { ModuleEditor } from '~/services/read/module-editor.server.ts'

export function savedModuleView(ctx: Ctx, editor: ModuleEditor) {
  const { module } = editor
  const versions = editor.versions.map((version) => versionView(ctx, version, module.currentVersionUid))
  return {
    uid: module.uid,
    name: module.name,
    status: statusOfModule(module),
    isComingSoon: module.comingSoon,
    revision: editor.revision,
    latest: versions.find(({ isLatest }) => isLatest) ?? null,
    versions,
    people: editor.people,
  }
}

function versionView(ctx: Ctx, version: ModuleVersion, latestUid: string | null) {
  const { author, package: pkg } = version
  const moment = (date: Date) => formatMoment(date, ctx.site.timeZone)
  return {
    uid: version.uid,
    label: `v${version.version}`,
    status: version.status,
    isLatest: version.uid === latestUid,
    author: author ? `${author.firstName} ${author.lastName}`.trim() || author.email : null,
    changedOn: moment(version.changedAt),
    publishedOn: version.publishedAt ? moment(version.publishedAt) : null,
    file: pkg?.zipFile
      ? {
          name: pkg.zipFile.originalFileName,
          address: fileAddress(pkg.zipFile.name),
          size: formatFileSize(pkg.zipFile.size),
        }
      : null,
    package: pkg ? { status: pkg.status, message: pkg.lastMsg } : null,
  }
}

/** The form's fields as the page sends them back. */
export function moduleFormValues(state: ModuleState) {
  const { inSelfStudy, comingSoon, tags, ...values } = state
  return {
    ...values,
    coverImg: state.coverImg ?? '',
    cmi5Zip: state.cmi5Zip ?? '',
    chapterUid: state.chapterUid ?? '',
    tags: writeTags(tags),
    ...(inSelfStudy && { inSelfStudy: 'on' }),
    ...(comingSoon && { comingSoon: 'on' }),
  }
}

export function moduleFileValues(editor: Pick<ModuleEditor, 'cover' | 'versions' | 'module'>) {
  const latest = editor.versions.find(({ uid }) => uid === editor.module.currentVersionUid)
  return { coverImg: fileValue(editor.cover), cmi5Zip: fileValue(latest?.package?.zipFile ?? null) }
}

function fileValue(file: FileInfo | null) {
  if (!file) return null
  const { name, originalFileName, size } = file
  return { name, originalFileName, size, url: fileAddress(name) }
}
