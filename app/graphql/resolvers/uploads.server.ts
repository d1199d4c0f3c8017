import { fileAddress } from '~/lib/file-address.ts'
import type { Site } from '~/services/context.ts'
import { completeUpload, type PreparedUpload, prepareUpload, receiveUpload } from '~/services/uploads/uploads.server.ts'
import type { GraphqlContext } from '../context.ts'
import type { UploadPart } from '../upload-scalar.ts'

export const uploadResolvers = {
  Mutation: {
    prepareUpload: (
      _: unknown,
      input: { fileName: string; fileType: string },
      { ctx }: GraphqlContext,
    ): Promise<PreparedUpload> => prepareUpload(ctx, input),
    completeUpload: async (_: unknown, input: { fileId: string }, { ctx }: GraphqlContext) => {
      const file = await completeUpload(ctx, input)
      const url = urlOf(ctx.site, file.name)
      return { originalFileName: file.originalFileName, file: { ...file, url }, url, cdnUrl: url }
    },
    uploadCsv: async (_: unknown, { file }: { file: UploadPart }, { ctx }: GraphqlContext) => {
      const { name } = await receiveUpload(ctx, { kind: 'csv', fileName: file.fileName, source: file.source })
      return { savedPath: name, url: urlOf(ctx.site, name) }
    },
  },
}

function urlOf(site: Site, name: string): string {
  return `${site.baseUrl}${fileAddress(name)}`
}
