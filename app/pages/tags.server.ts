import { isUid } from '~/lib/uid.ts'
import type { ContentKind } from '~/services/access/access.server.ts'
import { listPartsOf } from '~/services/access/parts.server.ts'
import type { Ctx } from '~/services/context.ts'

/** Lists the tags of an item that the viewer may see, by text. */
export async function tagsOf(ctx: Ctx, kind: ContentKind, uid: string): Promise<string[]> {
  if (!isUid(uid)) return []
  const parts = await listPartsOf(ctx, kind, [uid], ['tags'])
  return (parts.get(uid.toLowerCase())?.tags ?? []).map(({ text }) => text)
}
