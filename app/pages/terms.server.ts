/** Terms of the glossary in the texts of a page. */
import { markTerms, type TermTree, type TextPart, termTree } from '~/lib/glossary-words.ts'
import type { ContentKind } from '~/services/access/access.server.ts'
import type { Ctx } from '~/services/context.ts'
import { findTermsInTexts } from '~/services/glossary/terms-in-texts.server.ts'

/** Reads the terms of all texts of a page, with one query. `of` is the content whose author can switch them off. */
export async function termsOf(
  ctx: Ctx,
  texts: string[],
  of?: { kind: ContentKind; uid: string },
): Promise<{ tree: TermTree; mark: (text: string) => TextPart[] }> {
  const tree = termTree(await findTermsInTexts(ctx, { texts, of }))
  return { tree, mark: (text) => markTerms(tree, text) }
}
