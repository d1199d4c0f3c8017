import { sql } from 'kysely'
import { firstWordsOf, type Term } from '~/lib/glossary-words.ts'
import type { ContentKind } from '../access/access.server.ts'
import { isSwitchedOn } from '../access/flags.server.ts'
import type { Ctx } from '../context.ts'

/** Far more than the texts of a page can contain. */
const mostTerms = 5000

/**
 * Finds the terms whose first word is in one of the texts, with one query, whatever the size of the glossary. Empty if
 * the site has switched its glossary off, or if the author of the content does not want definitions in its texts. Texts
 * without `of` have no such switch.
 */
export async function findTermsInTexts(
  ctx: Ctx,
  input: { texts: string[]; of?: { kind: ContentKind; uid: string } },
): Promise<Term[]> {
  const words = firstWordsOf(input.texts)
  if (words.length === 0) return []
  const { of } = input
  const isWanted = of
    ? sql<boolean>`exists (
        select from ${sql.table(of.kind)} content
        where content.uid = ${of.uid} and content.shows_terms)`
    : sql<boolean>`true`
  return await ctx.db
    .selectFrom('glossary_terms')
    .select(['slug', 'name', 'definition'])
    .where('site_id', '=', ctx.site.id)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`first_word = any(${words}::text[])`)
    .where(isSwitchedOn(ctx, 'GLOSSARY'))
    .where(isWanted)
    .orderBy('name_key')
    .limit(mostTerms)
    .execute()
}
