import type { ContentItem } from '~/components/learning/view.ts'
import { imageAddress } from '~/lib/file-address.ts'
import type { Ctx } from '~/services/context.ts'
import { listAllContent } from '~/services/read/all-content.server.ts'

/** Reads a page of the All Content list, with the cover of each item. */
export async function listContentItems(ctx: Ctx, input: Parameters<typeof listAllContent>[1]) {
  const { counts, items } = await listAllContent(ctx, input)
  return {
    counts,
    items: items.map(
      ({ imageUid, alt, ...item }): ContentItem => ({
        ...item,
        cover: imageUid === null ? null : { address: imageAddress(imageUid), alt },
      }),
    ),
  }
}
