import type { GraphQLResolveInfo } from 'graphql'
import { NotFound } from '~/services/errors.ts'
import {
  countGlossaryTerms,
  type GlossaryTerm,
  getGlossarySettings,
  listGlossaryTerms,
} from '~/services/glossary/glossary.server.ts'
import { updateGlossarySettings } from '~/services/glossary/save-settings.server.ts'
import {
  createGlossaryTerm,
  deleteGlossaryTerm,
  restoreGlossaryTerm,
  updateGlossaryTerm,
} from '~/services/glossary/save-term.server.ts'
import { connection, type PageArguments } from '../connection.ts'
import type { GraphqlContext } from '../context.ts'
import { uidForRequest } from '../idempotency.ts'
import { fromGlobalId, toGlobalId } from '../ids.ts'

type Settings = { headline: string; description: string }
type TermInput = { id?: string | null; name: string; definition: string }

function termUidOf(id: string): string {
  const key = fromGlobalId(id)
  if (key?.type !== 'GlossaryTerm') throw new NotFound()
  return key.uid
}

export const glossaryResolvers = {
  Query: {
    glossarySettings: (_: unknown, _input: unknown, { ctx }: GraphqlContext) => getGlossarySettings(ctx),
    glossaryTerms: async (_: unknown, { first, after }: PageArguments, { ctx }: GraphqlContext) =>
      connection(await listGlossaryTerms(ctx, { first, after }), () => countGlossaryTerms(ctx)),
  },
  Mutation: {
    updateGlossarySettings: async (_: unknown, settings: Settings, { ctx }: GraphqlContext) => ({
      glossarySettings: await updateGlossarySettings(ctx, settings),
    }),
    createOrUpdateGlossaryTerm: async (
      _: unknown,
      { id, ...values }: TermInput,
      context: GraphqlContext,
      info: GraphQLResolveInfo,
    ) => {
      const { ctx } = context
      if (id === undefined || id === null) {
        return { glossaryTerm: await createGlossaryTerm(ctx, { ...values, uid: uidForRequest(context, info) }) }
      }
      return { glossaryTerm: (await updateGlossaryTerm(ctx, { ...values, termUid: termUidOf(id) })).term }
    },
    deleteGlossaryTerm: async (_: unknown, { id }: { id: string }, { ctx }: GraphqlContext) => {
      await deleteGlossaryTerm(ctx, { termUid: termUidOf(id) })
      return { id }
    },
    restoreGlossaryTerm: async (_: unknown, { id }: { id: string }, { ctx }: GraphqlContext) => ({
      glossaryTerm: await restoreGlossaryTerm(ctx, { termUid: termUidOf(id) }),
    }),
  },
  GlossaryTerm: {
    id: ({ uid }: GlossaryTerm) => toGlobalId('GlossaryTerm', uid),
  },
}
