import {
  countGlossaryTerms,
  type GlossaryTerm,
  getGlossarySettings,
  listGlossaryTerms,
} from '~/services/glossary/glossary.server.ts'
import { connection, type PageArguments } from '../connection.ts'
import type { GraphqlContext } from '../context.ts'
import { toGlobalId } from '../ids.ts'

export const glossaryResolvers = {
  Query: {
    glossarySettings: (_: unknown, _input: unknown, { ctx }: GraphqlContext) => getGlossarySettings(ctx),
    glossaryTerms: async (_: unknown, { first, after }: PageArguments, { ctx }: GraphqlContext) =>
      connection(await listGlossaryTerms(ctx, { first, after }), () => countGlossaryTerms(ctx)),
  },
  GlossaryTerm: {
    id: ({ uid }: GlossaryTerm) => toGlobalId('GlossaryTerm', uid),
  },
}
