import { env } from '~/config/env.server.ts'
import { type UploadKind, type UploadRule, uploadRules } from '~/forms/uploads.ts'

const megabyte = 1024 * 1024

/** The rule of a kind of uploads on this installation. */
export function ruleOf(kind: UploadKind): UploadRule {
  if (kind !== 'video') return uploadRules[kind]
  return { ...uploadRules.video, maxBytes: env().VIDEO_MAX_MB * megabyte }
}
